"""`moldau topics`: list, show, create and delete topics."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from moldau.cli.connecting import add_connection, connect
from moldau.cli.output import add_output, print_json, print_rows

if TYPE_CHECKING:
    from moldau.client import ConfigEntry, TopicInfo

_EPILOG = """examples:
  moldau topics list
  moldau topics create orders --partitions 3 --config retention.ms=86400000
  moldau topics show orders -o json
  moldau topics delete orders"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(title="actions", metavar="ACTION", dest="action", required=True)
    for name, summary in (
        ("list", "all topics"),
        ("show", "one topic's partitions and configs"),
        ("create", "make a topic"),
        ("delete", "delete a topic and all its records"),
    ):
        action = actions.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        )
        if name == "list":
            action.add_argument("--internal", action="store_true", help="also those that brokers keep for themselves")
        else:
            action.add_argument("topic", metavar="TOPIC", help="its name")
        if name == "create":
            _add_creation(action)
        add_connection(action)
        add_output(action)


def run(options: argparse.Namespace) -> int:
    """Do what was asked."""
    with connect(options) as kafka:
        if options.action == "list":
            topics = kafka.admin.list_topics(options.internal)
            rows = [(topic.name, topic.partitions, topic.internal) for topic in topics]
            print_rows(options.output, ("topic", "partitions", "internal"), rows)
        elif options.action == "delete":
            kafka.admin.delete_topic(options.topic)
            _done(options, "deleted")
        elif options.action == "create":
            kafka.admin.create_topic(
                options.topic, options.partitions, options.replication_factor, dict(options.config or ())
            )
            _done(options, "created")
        else:
            topic = kafka.admin.describe_topic(options.topic)
            configs = kafka.admin.describe_topic_configs(options.topic)
            _show(options, topic, {name: entry for name, entry in configs.items() if not entry.is_default})
    return 0


def _add_creation(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--partitions", type=int, metavar="N", default=-1, help="how many; -1 leaves it to the broker")
    parser.add_argument(
        "--replication-factor", type=int, metavar="N", default=-1, help="how many; -1 leaves it to the broker"
    )
    parser.add_argument(
        "--config",
        action="append",
        type=_assignment,
        metavar="NAME=VALUE",
        default=argparse.SUPPRESS,
        help="a topic config by Kafka's name; may be repeated",
    )
    parser.set_defaults(config=None)


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text}: expected NAME=VALUE, for example retention.ms=60000")
    return name, value


def _done(options: argparse.Namespace, what: str) -> None:
    if options.output == "json":
        print_json({"topic": options.topic, what: True})
    else:
        print(f"{what} {options.topic}")


def _show(options: argparse.Namespace, topic: TopicInfo, configs: dict[str, ConfigEntry]) -> None:
    from moldau.model import format_uuid

    columns = ("partition", "leader", "leader_epoch", "replicas", "in_sync")
    rows = [(one.index, one.leader, one.leader_epoch, list(one.replicas), list(one.isr)) for one in topic.partitions]
    if options.output == "json":
        print_json(
            {
                "topic": topic.name,
                "id": format_uuid(topic.id),
                "partitions": [dict(zip(columns, row, strict=True)) for row in rows],
                "configs": {name: entry.value for name, entry in configs.items()},
            }
        )
        return
    print(f"topic {topic.name}  id {format_uuid(topic.id)}")
    for name, entry in sorted(configs.items()):
        print(f"{name}={entry.value}  ({entry.source})")
    print_rows("table", columns, rows)
