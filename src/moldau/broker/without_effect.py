"""Kafka's broker names that are understood and have no effect here (yet): name, type, default.

A server.properties written for Kafka is taken as it is; what of it has no effect is told at the start, shown by
DescribeConfigs with its value, and listed on the documentation page made from this table. Read only when a name is
looked up that has an effect nowhere else.
"""

from __future__ import annotations

from moldau.broker.configs import Config, Kind

PREFIXES = ("listener.name.", "rsm.config.", "rlmm.config.")
"""Names that start like this are understood too."""

_ROWS = """
add.partitions.to.txn.retry.backoff.max.ms INT =100
add.partitions.to.txn.retry.backoff.ms INT =20
alter.config.policy.class.name CLASS
alter.log.dirs.replication.quota.window.num INT =11
alter.log.dirs.replication.quota.window.size.seconds INT =1
auto.leader.rebalance.enable BOOLEAN =true
background.threads INT =10
broker.heartbeat.interval.ms INT =2000
broker.id INT =-1
broker.session.timeout.ms INT =9000
client.quota.callback.class CLASS
compression.gzip.level INT =-1
compression.lz4.level INT =9
compression.type STRING =producer
compression.zstd.level INT =3
config.providers LIST =
connection.failed.authentication.delay.ms INT =100
connections.max.reauth.ms LONG =0
controlled.shutdown.enable BOOLEAN =true
controller.performance.always.log.threshold.ms LONG =2000
controller.performance.sample.period.ms LONG =60000
controller.quorum.append.linger.ms INT =25
controller.quorum.auto.join.enable BOOLEAN =false
controller.quorum.election.backoff.max.ms INT =1000
controller.quorum.fetch.max.bytes INT =1048576
controller.quorum.fetch.snapshot.max.bytes INT =1048576
controller.quorum.request.timeout.ms INT =2000
controller.quorum.retry.backoff.ms INT =20
controller.quota.window.num INT =11
controller.quota.window.size.seconds INT =1
controller.socket.timeout.ms INT =30000
cordoned.log.dirs LIST =
create.topic.policy.class.name CLASS
delegation.token.expiry.check.interval.ms LONG =3600000
delegation.token.expiry.time.ms LONG =86400000
delegation.token.max.lifetime.ms LONG =604800000
delegation.token.secret.key PASSWORD
delete.records.purgatory.purge.interval.requests INT =1
early.start.listeners LIST
fetch.purgatory.purge.interval.requests INT =1000
follower.fetch.last.tiered.offset.enable BOOLEAN =false
follower.replication.throttled.rate LONG =9223372036854775807
group.consumer.assignment.interval.ms INT =1000
group.consumer.assignors LIST =uniform,range
group.consumer.heartbeat.interval.ms INT =5000
group.consumer.max.assignment.interval.ms INT =15000
group.consumer.max.heartbeat.interval.ms INT =15000
group.consumer.max.session.timeout.ms INT =60000
group.consumer.max.size INT =2147483647
group.consumer.migration.policy STRING =BIDIRECTIONAL
group.consumer.min.assignment.interval.ms INT =0
group.consumer.min.heartbeat.interval.ms INT =5000
group.consumer.min.session.timeout.ms INT =45000
group.consumer.regex.refresh.interval.ms INT =600000
group.consumer.session.timeout.ms INT =45000
group.coordinator.append.linger.ms INT =-1
group.coordinator.background.threads INT =2
group.coordinator.cached.buffer.max.bytes INT =1048588
group.coordinator.rebalance.protocols LIST =CLASSIC,CONSUMER,STREAMS
group.coordinator.threads INT =4
group.initial.rebalance.delay.ms INT =3000
group.max.session.timeout.ms INT =1800000
group.max.size INT =2147483647
group.min.session.timeout.ms INT =6000
group.share.assignment.interval.ms INT =1000
group.share.assignors LIST =simple
group.share.delivery.count.limit INT =5
group.share.heartbeat.interval.ms INT =5000
group.share.initialize.retry.interval.ms INT =30000
group.share.max.assignment.interval.ms INT =15000
group.share.max.delivery.count.limit INT =10
group.share.max.heartbeat.interval.ms INT =15000
group.share.max.partition.max.record.locks INT =4000
group.share.max.record.lock.duration.ms INT =60000
group.share.max.session.timeout.ms INT =60000
group.share.max.share.sessions INT =2000
group.share.max.size INT =200
group.share.min.assignment.interval.ms INT =0
group.share.min.delivery.count.limit INT =2
group.share.min.heartbeat.interval.ms INT =5000
group.share.min.partition.max.record.locks INT =100
group.share.min.record.lock.duration.ms INT =15000
group.share.min.session.timeout.ms INT =45000
group.share.partition.max.record.locks INT =2000
group.share.persister.class.name STRING
group.share.record.lock.duration.ms INT =30000
group.share.session.timeout.ms INT =45000
group.streams.assignment.interval.ms INT =1000
group.streams.heartbeat.interval.ms INT =5000
group.streams.initial.rebalance.delay.ms INT =3000
group.streams.max.assignment.interval.ms INT =15000
group.streams.max.heartbeat.interval.ms INT =15000
group.streams.max.session.timeout.ms INT =60000
group.streams.max.size INT =2147483647
group.streams.max.standby.replicas INT =2
group.streams.min.assignment.interval.ms INT =0
group.streams.min.heartbeat.interval.ms INT =5000
group.streams.min.session.timeout.ms INT =45000
group.streams.num.standby.replicas INT =0
group.streams.session.timeout.ms INT =45000
initial.broker.registration.timeout.ms INT =60000
inter.broker.listener.name STRING
internal.metadata.delete.delay.millis LONG =60000
internal.metadata.log.segment.bytes INT
internal.metadata.max.batch.size.in.bytes INT =8388608
kafka.metrics.polling.interval.secs INT =10
kafka.metrics.reporters LIST =
leader.imbalance.check.interval.seconds LONG =300
leader.replication.throttled.rate LONG =9223372036854775807
log.cleaner.backoff.ms LONG =15000
log.cleaner.dedupe.buffer.size LONG =134217728
log.cleaner.delete.retention.ms LONG =86400000
log.cleaner.enable BOOLEAN =true
log.cleaner.io.buffer.load.factor DOUBLE =0.9
log.cleaner.io.buffer.size INT =524288
log.cleaner.io.max.bytes.per.second DOUBLE =1.7976931348623157E308
log.cleaner.max.compaction.lag.ms LONG =9223372036854775807
log.cleaner.min.cleanable.ratio DOUBLE =0.5
log.cleaner.min.compaction.lag.ms LONG =0
log.cleaner.threads INT =1
log.dir.failure.timeout.ms LONG =30000
log.flush.interval.messages LONG =9223372036854775807
log.flush.interval.ms LONG
log.flush.offset.checkpoint.interval.ms INT =60000
log.flush.scheduler.interval.ms LONG =9223372036854775807
log.flush.start.offset.checkpoint.interval.ms INT =60000
log.local.retention.bytes LONG =-2
log.local.retention.ms LONG =-2
log.preallocate BOOLEAN =false
log.roll.jitter.hours INT =0
log.roll.jitter.ms LONG
max.connection.creation.rate INT =2147483647
max.connections.per.ip.overrides STRING =
max.incremental.fetch.session.cache.slots INT =1000
metadata.log.dir STRING
metadata.log.max.record.bytes.between.snapshots LONG =20971520
metadata.log.max.snapshot.interval.ms LONG =3600000
metadata.log.segment.bytes INT =1073741824
metadata.log.segment.ms LONG =604800000
metadata.max.idle.interval.ms INT =500
metadata.max.retention.bytes LONG =104857600
metadata.max.retention.ms LONG =604800000
metric.reporters LIST =JmxReporter
metrics.num.samples INT =2
metrics.recording.level STRING =INFO
metrics.sample.window.ms LONG =30000
num.io.threads INT =8
num.network.threads INT =3
num.recovery.threads.per.data.dir INT =2
num.replica.alter.log.dirs.threads INT
num.replica.fetchers INT =1
offset.metadata.max.bytes INT =4096
offsets.commit.timeout.ms INT =5000
offsets.load.buffer.size INT =5242880
offsets.retention.check.interval.ms LONG =600000
offsets.retention.minutes INT =10080
offsets.topic.compression.codec INT =0
offsets.topic.num.partitions INT =50
offsets.topic.replication.factor SHORT =3
offsets.topic.segment.bytes INT =104857600
principal.builder.class CLASS =DefaultKafkaPrincipalBuilder
producer.id.expiration.check.interval.ms INT =600000
producer.purgatory.purge.interval.requests INT =1000
queued.max.request.bytes LONG =-1
queued.max.requests INT =500
quota.window.num INT =11
quota.window.size.seconds INT =1
remote.fetch.max.wait.ms INT =500
remote.list.offsets.request.timeout.ms LONG =30000
remote.log.index.file.cache.total.size.bytes LONG =1073741824
remote.log.index.file.cache.ttl.ms LONG =900000
remote.log.manager.copier.thread.pool.size INT =10
remote.log.manager.copy.max.bytes.per.second LONG =9223372036854775807
remote.log.manager.copy.quota.window.num INT =11
remote.log.manager.copy.quota.window.size.seconds INT =1
remote.log.manager.expiration.thread.pool.size INT =10
remote.log.manager.fetch.max.bytes.per.second LONG =9223372036854775807
remote.log.manager.fetch.quota.window.num INT =11
remote.log.manager.fetch.quota.window.size.seconds INT =1
remote.log.manager.follower.thread.pool.size INT =2
remote.log.manager.task.interval.ms LONG =30000
remote.log.manager.task.retry.backoff.max.ms LONG =30000
remote.log.manager.task.retry.backoff.ms LONG =500
remote.log.manager.task.retry.jitter DOUBLE =0.2
remote.log.manager.thread.pool.size INT =2
remote.log.metadata.custom.metadata.max.bytes INT =128
remote.log.metadata.manager.class.name STRING
remote.log.metadata.manager.class.path STRING
remote.log.metadata.manager.impl.prefix STRING =rlmm.config.
remote.log.metadata.manager.listener.name STRING
remote.log.reader.max.pending.tasks INT =100
remote.log.reader.threads INT =10
remote.log.storage.manager.class.name STRING
remote.log.storage.manager.class.path STRING
remote.log.storage.manager.impl.prefix STRING =rsm.config.
remote.log.storage.system.enable BOOLEAN =false
replica.alter.log.dirs.io.max.bytes.per.second LONG =9223372036854775807
replica.fetch.backoff.ms INT =1000
replica.fetch.max.bytes INT =1048576
replica.fetch.min.bytes INT =1
replica.fetch.response.max.bytes INT =10485760
replica.fetch.wait.max.ms INT =500
replica.high.watermark.checkpoint.interval.ms LONG =5000
replica.lag.time.max.ms LONG =30000
replica.selector.class STRING
replica.socket.receive.buffer.bytes INT =65536
replica.socket.timeout.ms INT =30000
replication.quota.window.num INT =11
replication.quota.window.size.seconds INT =1
request.timeout.ms INT =30000
sasl.client.callback.handler.class CLASS
sasl.enabled.mechanisms LIST =GSSAPI
sasl.jaas.config PASSWORD
sasl.kerberos.kinit.cmd STRING =/usr/bin/kinit
sasl.kerberos.min.time.before.relogin LONG =60000
sasl.kerberos.principal.to.local.rules LIST =DEFAULT
sasl.kerberos.service.name STRING
sasl.kerberos.ticket.renew.jitter DOUBLE =0.05
sasl.kerberos.ticket.renew.window.factor DOUBLE =0.8
sasl.login.callback.handler.class CLASS
sasl.login.class CLASS
sasl.login.connect.timeout.ms INT
sasl.login.read.timeout.ms INT
sasl.login.refresh.buffer.seconds SHORT =300
sasl.login.refresh.min.period.seconds SHORT =60
sasl.login.refresh.window.factor DOUBLE =0.8
sasl.login.refresh.window.jitter DOUBLE =0.05
sasl.login.retry.backoff.max.ms LONG =10000
sasl.login.retry.backoff.ms LONG =100
sasl.mechanism.controller.protocol STRING =GSSAPI
sasl.mechanism.inter.broker.protocol STRING =GSSAPI
sasl.oauthbearer.assertion.algorithm STRING =RS256
sasl.oauthbearer.assertion.claim.aud STRING
sasl.oauthbearer.assertion.claim.exp.seconds INT =300
sasl.oauthbearer.assertion.claim.iss STRING
sasl.oauthbearer.assertion.claim.jti.include BOOLEAN =false
sasl.oauthbearer.assertion.claim.nbf.seconds INT =60
sasl.oauthbearer.assertion.claim.sub STRING
sasl.oauthbearer.assertion.file STRING
sasl.oauthbearer.assertion.private.key.file STRING
sasl.oauthbearer.assertion.private.key.passphrase PASSWORD
sasl.oauthbearer.assertion.template.file STRING
sasl.oauthbearer.client.credentials.client.id STRING
sasl.oauthbearer.client.credentials.client.secret PASSWORD
sasl.oauthbearer.clock.skew.seconds INT =30
sasl.oauthbearer.expected.audience LIST =
sasl.oauthbearer.expected.issuer STRING
sasl.oauthbearer.header.urlencode BOOLEAN =false
sasl.oauthbearer.jwks.endpoint.refresh.ms LONG =3600000
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms LONG =10000
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms LONG =100
sasl.oauthbearer.jwks.endpoint.url STRING
sasl.oauthbearer.jwt.retriever.class CLASS
sasl.oauthbearer.jwt.validator.class CLASS
sasl.oauthbearer.scope STRING
sasl.oauthbearer.scope.claim.name STRING =scope
sasl.oauthbearer.sub.claim.name STRING =sub
sasl.oauthbearer.token.endpoint.url STRING
sasl.server.callback.handler.class CLASS
sasl.server.max.receive.size INT =524288
security.inter.broker.protocol STRING =PLAINTEXT
security.providers STRING
server.max.startup.time.ms LONG =9223372036854775807
share.coordinator.append.linger.ms INT =-1
share.coordinator.cached.buffer.max.bytes INT =1048588
share.coordinator.cold.partition.snapshot.interval.ms INT =300000
share.coordinator.load.buffer.size INT =5242880
share.coordinator.snapshot.update.records.per.snapshot INT =500
share.coordinator.state.topic.compression.codec INT =0
share.coordinator.state.topic.min.isr SHORT =2
share.coordinator.state.topic.num.partitions INT =50
share.coordinator.state.topic.prune.interval.ms INT =300000
share.coordinator.state.topic.replication.factor SHORT =3
share.coordinator.state.topic.segment.bytes INT =104857600
share.coordinator.threads INT =1
share.coordinator.write.timeout.ms INT =5000
share.fetch.purgatory.purge.interval.requests INT =1000
socket.connection.setup.timeout.max.ms LONG =30000
socket.connection.setup.timeout.ms LONG =10000
socket.listen.backlog.size INT =50
socket.receive.buffer.bytes INT =102400
socket.send.buffer.bytes INT =102400
ssl.allow.dn.changes BOOLEAN =false
ssl.allow.san.changes BOOLEAN =false
ssl.cipher.suites LIST =
ssl.client.auth STRING =NONE
ssl.enabled.protocols LIST =TLSv1.2,TLSv1.3
ssl.endpoint.identification.algorithm STRING =https
ssl.engine.factory.class CLASS
ssl.key.password PASSWORD
ssl.keymanager.algorithm STRING
ssl.keystore.certificate.chain PASSWORD
ssl.keystore.key PASSWORD
ssl.keystore.location STRING
ssl.keystore.password PASSWORD
ssl.keystore.type STRING =JKS
ssl.principal.mapping.rules STRING =DEFAULT
ssl.protocol STRING =TLSv1.3
ssl.provider STRING
ssl.secure.random.implementation STRING
ssl.trustmanager.algorithm STRING
ssl.truststore.certificates PASSWORD
ssl.truststore.location STRING
ssl.truststore.password PASSWORD
ssl.truststore.type STRING =JKS
telemetry.max.bytes INT =1048576
transaction.abort.timed.out.transaction.cleanup.interval.ms INT =10000
transaction.max.timeout.ms INT =900000
transaction.partition.verification.enable BOOLEAN =true
transaction.remove.expired.transaction.cleanup.interval.ms INT =3600000
transaction.state.log.load.buffer.size INT =5242880
transaction.state.log.min.isr INT =2
transaction.state.log.num.partitions INT =50
transaction.state.log.replication.factor SHORT =3
transaction.state.log.segment.bytes INT =104857600
transaction.two.phase.commit.enable BOOLEAN =false
transactional.id.expiration.ms INT =604800000
unclean.leader.election.enable BOOLEAN =false
unclean.leader.election.interval.ms LONG =300000
unstable.api.versions.enable BOOLEAN =false
unstable.feature.versions.enable BOOLEAN =false
"""


def without_effect() -> dict[str, Config]:
    """Each name that has no effect."""
    rows = (line.split(" ", 2) for line in _ROWS.strip().splitlines())
    return {name: _row(name, Kind[kind], default) for name, kind, *default in rows}


def _row(name: str, kind: Kind, default: list[str]) -> Config:
    row = Config(name, kind, None, "Without effect.")
    if not default:
        return row
    return Config(name, kind, row.parse(default[0].removeprefix("=")), row.doc)
