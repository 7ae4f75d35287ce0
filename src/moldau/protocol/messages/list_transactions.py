"""ListTransactions (API 66). The transactions of a coordinator, filtered."""

from __future__ import annotations

from typing import Annotated, ClassVar

from moldau.protocol.tables import Int16, Int32, Int64, Message, NullableString, String, Table, Top, since


class ListTransactionsRequest(Top):
    """The filters."""

    TABLE: ClassVar[Table] = Table("request", key=66, versions=(0, 2))

    state_filters: list[String] = []
    producer_id_filters: list[Int64] = []
    duration_filter: Annotated[Int64, since(1)] = -1
    transactional_id_pattern: Annotated[NullableString, since(2)] = None


class TransactionState(Message):
    """One of the `transaction_states` of `ListTransactionsResponse`."""

    transactional_id: String = ""
    producer_id: Int64 = 0
    transaction_state: String = ""


class ListTransactionsResponse(Top):
    """The transactions."""

    TABLE: ClassVar[Table] = Table("response", key=66, versions=(0, 2))

    throttle_time_ms: Int32 = 0
    error_code: Int16 = 0
    unknown_state_filters: list[String] = []
    transaction_states: list[TransactionState] = []
