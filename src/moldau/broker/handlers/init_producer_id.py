"""InitProducerId 0-5: an id for an idempotent producer, from the blocks that the controller grants this broker.

A producer that brings an id and epoch is given the next epoch of that id, or a new id when its epochs are used up.
Transactional ids are refused: there is no transaction coordinator.
"""

from __future__ import annotations

from moldau.broker.call import PARKED, Call, Outcome
from moldau.model import ApiError, ErrorCode
from moldau.protocol.apis import ApiKey
from moldau.protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse

API = ApiKey.INIT_PRODUCER_ID

_NONE = -1
_LAST_EPOCH = 32766


def handle(request: InitProducerIdRequest, call: Call) -> InitProducerIdResponse | Outcome:
    if request.transactional_id is not None:
        wrong = ErrorCode.INVALID_REQUEST if not request.transactional_id else ErrorCode.COORDINATOR_NOT_AVAILABLE
        return failed(request, wrong)
    if request.producer_id != _NONE and 0 <= request.producer_epoch < _LAST_EPOCH:
        return InitProducerIdResponse(producer_id=request.producer_id, producer_epoch=request.producer_epoch + 1)
    answered: list[InitProducerIdResponse] = []
    parked = False

    def granted(producer_id: int | None, refusal: ApiError | None) -> None:
        if producer_id is None:
            response = failed(request, refusal.code if refusal is not None else ErrorCode.UNKNOWN_SERVER_ERROR)
        else:
            response = InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)
        if parked:
            call.answer(response)
        else:
            answered.append(response)

    call.node.producer_ids.next(granted)
    if answered:
        return answered[0]
    parked = True
    call.park()
    return PARKED


def failed(request: InitProducerIdRequest, code: ErrorCode) -> InitProducerIdResponse:
    return InitProducerIdResponse(error_code=code, producer_id=_NONE, producer_epoch=_NONE)
