-- Distributes the tables of tenants over the nodes of a Citus cluster, all rows of a tenant on one node. Run it once, on
-- the coordinator, after `wcs migrate`. Read DATABASE.md first: the service does not fully work on Citus.
--
-- All other tables stay on the coordinator: tenant, tenant_host, signing_key, rate_window, lease, lease_holder, migration, tenant_place, tenant_fence.

-- Triggers write each version of a row into resource_version, marks into compliance_mark, and tasks, on the same node.
SET citus.enable_unsafe_triggers TO on;

SELECT create_distributed_table('account', 'tenant_id', colocate_with => 'none');

SELECT create_distributed_table(name, 'tenant_id', colocate_with => 'account')
FROM unnest(ARRAY[
  'access_epoch', 'answer', 'answer_access', 'answer_link', 'applicant', 'audit_event', 'audit_seal', 'ban', 'capturerequest', 'caretaker', 'compliance', 'compliance_failure',
  'compliance_mark', 'compliancecheck', 'credential', 'credentialcheck', 'delivery', 'delivery_exchange', 'distinct_worker', 'document', 'document_piece', 'erasure', 'event', 'exemption',
  'history_start', 'identityprovider', 'import', 'import_row', 'legacy_token', 'message', 'message_declined',
  'message_queue', 'message_tenant', 'note', 'note_mention', 'oauth_client', 'personal_token', 'receiver', 'record_seal', 'red_worker', 'resource_version', 'scan', 'schedule',
  'screeningpackage', 'search_word', 'second_factor', 'session', 'sso_subject', 'sso_ticket', 'subscription', 'task', 'unit',
  'verification',
  'verification_run', 'verificationsource', 'warned_tenant', 'webhook', 'worker', 'worker_merge'
]::regclass[]) AS name;
