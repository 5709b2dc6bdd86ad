import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { migrated } from "./InProcess.ts"
import { serving, temporaryDirectory } from "./Process.ts"
import { type Results, replay } from "./Transcript.ts"

/** Tokens and clients of a user: AUT-12, OAU-13, threat 44. */
const credentials = `
all = $ list-tenants
{"tenants":[{"id":"tnt_…","name":"default","timeZone":"Australia/Darwin","hosts":["localhost","127.0.0.1","[::1]"]}]}
ann = $ create-user --email ANN@example.org --role 'Super Admin'
{"id":"acc_…","account":"urn:wcs:account:acc_…","email":"ann@example.org","role":"Super Admin","rateLimit":null,"createdAt":"…Z"}
$ create-user --email Ann@example.org --role Viewer
1 DUPLICATE_ID a user with the email ann@example.org already exists
laptop = $ create-token --email ann@example.org --name laptop
{"id":"pat_…","token":"wcs_pat_…","name":"laptop","account":"<ann.account>","expiresAt":null}
server = $ create-token --email ann@example.org --name server --expires-in 2h
{"id":"pat_…","token":"wcs_pat_…","name":"server","account":"<ann.account>","expiresAt":"…Z"}
GET /me <laptop.token>
200 *"email":"ann@example.org","role":"Super Admin"
GET /workers <server.token>
200
$ revoke-token <server.id>
{"id":"<server.id>","revoked":true}
$ revoke-token <server.id>
{"id":"<server.id>","revoked":true}
GET /workers <server.token>
401
GET /workers <laptop.token>
200
nightly = $ create-client --name nightly
{"clientId":"wcs_oauth_…","clientSecret":"wcs_secret_…","name":"nightly"}
access = POST /oauth/token grant_type=client_credentials&client_id=<nightly.clientId>&client_secret=<nightly.clientSecret>
200
GET /workers <access.access_token>
200
$ revoke-client <nightly.clientId>
{"clientId":"<nightly.clientId>","revoked":true}
GET /workers <access.access_token>
401
POST /oauth/token grant_type=client_credentials&client_id=<nightly.clientId>&client_secret=<nightly.clientSecret>
401 *"error":"invalid_client"

# What a token made ends with the token.
made = POST /access-tokens <laptop.token> {"name":"made"}
201
program = POST /api-clients <laptop.token> {"name":"program"}
201
$ list-tokens
{"tokens":[{"id":"<laptop.id>","name":"laptop","account":"<ann.account>","lastFour":"…","createdAt":"…Z","createdBy":{"account":"urn:wcs:operator","bearer":null},"expiresAt":null,"revokedAt":null,"lastUsedAt":*},{"id":"<server.id>",*"revokedAt":"…Z","lastUsedAt":*},{"id":"<made.data.id>",*"createdBy":{"account":"<ann.account>","bearer":{"kind":"personal","id":"<laptop.id>"}},"expiresAt":null,"revokedAt":null,"lastUsedAt":null}]}
$ list-clients
{"clients":[{"clientId":"<nightly.clientId>","name":"nightly","secretLastFour":"…","createdAt":"…Z","createdBy":{"account":"urn:wcs:operator","bearer":null},"expiresAt":null,"revokedAt":"…Z"},{"clientId":"<program.data.id>",*"createdBy":{"account":"<ann.account>","bearer":{"kind":"personal","id":"<laptop.id>"}},"expiresAt":null,"revokedAt":null}]}
$ revoke-token --cascade <laptop.id>
{"id":"<laptop.id>","revoked":true,"ended":["…","…","…"]}
GET /workers <laptop.token>
401
GET /workers <made.data.token>
401
POST /oauth/token grant_type=client_credentials&client_id=<program.data.id>&client_secret=<program.data.clientSecret>
401

# The operator may lock out the last Super Admin too.
$ deactivate-user --email ann@example.org
{"number":2,"account":"<ann.account>","email":"ann@example.org","firstName":"","surname":"","role":"Super Admin","hasPassword":false,"verifiedAt":null,"deactivatedAt":"…Z"}
$ activate-user --email ann@example.org
{*"deactivatedAt":null}
again = $ create-token --email ann@example.org --name again
{"id":"pat_…",*}
other = POST /api-clients <again.token> {"name":"other"}
201
POST /oauth/token grant_type=client_credentials&client_id=<other.data.id>&client_secret=<other.data.clientSecret>
200
$ update-user --email ann@example.org --role Admin
{*"role":"Admin",*}
POST /oauth/token grant_type=client_credentials&client_id=<other.data.id>&client_secret=<other.data.clientSecret>
401
GET /me <again.token>
200 *"role":"Admin"
$ revoke-client --cascade <other.data.id>
{"clientId":"<other.data.id>","revoked":true,"ended":[]}
`

/** Users on both surfaces: LEG-05, LEG-19, LEG-22. */
const users = `
dana = $ create-user --email dana@example.org --role Viewer
{"id":"acc_…",*}
slow = $ create-user --email slow@example.org --privilege worker:READ --rate-limit 2/1h
{"id":"acc_…",*"role":["worker:READ"],"rateLimit":"2/3600s",*}
pager = $ create-token --email slow@example.org --name pager
{"id":"pat_…",*}
POST /workers <pager.token> {}
403
GET /workers <pager.token>
200
GET /workers <pager.token>
429
$ update-user --email dana@example.org --first-name Dana --surname Doe
{*"firstName":"Dana","surname":"Doe","role":"Viewer","hasPassword":false,"verifiedAt":null,"deactivatedAt":null}
north = POST /units <again.token> {"name":"North","externalId":"n"}
201
ward = POST /units <again.token> {"name":"Ward","parent":{"id":"<north.data.id>"}}
201
$ list-units
{"units":[{"id":"<north.data.id>","name":"North","externalId":"n","parentId":null},{"id":"<ward.data.id>","name":"Ward","externalId":null,"parentId":"<north.data.id>"}]}
$ limit-user --email dana@example.org --unit <ward.data.id>
{*"role":"Viewer","units":["<ward.data.id>"],*}
$ limit-user --email dana@example.org --unit unit_0000000000000000
1 NOT_FOUND there is no unit unit_0000000000000000
$ limit-user --email dana@example.org
2 USAGE limit-user needs either --everybody or at least one --unit
$ limit-user --email dana@example.org --everybody
{*"role":"Viewer","hasPassword":false,*}
$ set-password --email dana@example.org --password-file <files>/short
1 INVALID_ARGUMENT password must have 10 to 128 characters, in UTF-8 and without control characters
$ set-password --email dana@example.org --password-file <files>/none
2 USAGE <files>/none cannot be read: ENOENT*
$ set-password --email dana@example.org --password-file <files>/good
{"number":*,"account":"<dana.account>",*"surname":"Doe","role":"Viewer","hasPassword":true,"verifiedAt":null,"deactivatedAt":null}
me = GET /api/users/me dana@example.org:correct-horse-battery
200
login = POST /api/users/<me.id>/token dana@example.org:correct-horse-battery
200
GET /api/organizations/me <login.token>
403
$ verify-user --email dana@example.org
{*"verifiedAt":"…Z","deactivatedAt":null}
GET /api/organizations/me <login.token>
200
$ unverify-user --email dana@example.org
{*"verifiedAt":null,"deactivatedAt":null}
GET /api/organizations/me <login.token>
403
$ verify-user --email dana@example.org
{*"verifiedAt":"…Z","deactivatedAt":null}
GET /api/users/me <login.token>
200 *"first_name":"Dana","surname":"Doe"
$ set-abn '51 824 753 557'
1 INVALID_ARGUMENT abn must be an ABN: 11 digits*
$ set-abn '51 824 753 556'
{"abn":"51 824 753 556"}
GET /api/organizations/me <login.token>
200 *"abn":"51824753556"
logins = $ list-legacy-tokens --email dana@example.org
{"legacyTokens":[{"id":"…","issuedAt":"…Z","expiresAt":"…Z","revokedAt":null}]}
$ revoke-legacy-token <logins.legacyTokens.0.id>
{"id":"<logins.legacyTokens.0.id>","revoked":true}
GET /api/organizations/me <login.token>
401
$ revoke-legacy-token x
1 NOT_FOUND there is no token x
$ create-legacy-token --email dana@example.org --expires-in 91d
2 USAGE --expires-in must be a number with s, m, h or d, such as 30d, at most 90d
$ create-legacy-token --email dana@example.org --expires-in 0s
2 USAGE --expires-in must be a number with s, m, h or d, such as 30d, at most 90d
$ create-legacy-token --email dana@example.org --expires-in soon
2 USAGE --expires-in must be a number with s, m, h or d, such as 30d, at most 90d
login = $ create-legacy-token --email dana@example.org --expires-in 1h
{"id":"…","token":"…","expiresAt":"…Z"}
GET /api/organizations/me <login.token>
200
$ end-legacy-tokens --email dana@example.org
{"number":*,"account":"<dana.account>",*}
GET /api/organizations/me <login.token>
401
$ deactivate-user --email dana@example.org
{*"verifiedAt":"…Z","deactivatedAt":"…Z"}
GET /api/users/me dana@example.org:correct-horse-battery
401
$ create-legacy-token --email dana@example.org --expires-in 1h
1 NOT_FOUND there is no user dana@example.org
$ activate-user --email dana@example.org
{*"verifiedAt":"…Z","deactivatedAt":null}
GET /api/users/me dana@example.org:correct-horse-battery
200
$ reset-second-factor --email dana@example.org
{"account":"<dana.account>","email":"dana@example.org","reset":false}
$ reset-second-factor --email nobody@example.org
1 NOT_FOUND there is no user nobody@example.org
$ verify-user --email nobody@example.org
1 NOT_FOUND there is no user nobody@example.org
$ list-users
{"users":[{*"account":"<ann.account>",*"role":"Admin",*},{*"account":"<dana.account>",*"role":"Viewer",*},{"number":*,"account":"<slow.account>","email":"slow@example.org","firstName":"","surname":"","role":["worker:READ"],"hasPassword":false,"verifiedAt":null,"deactivatedAt":null}]}
`

/** A webhook that does not accept deliveries, and the keys. */
const server = `
$ list-failing-webhooks
{"webhooks":[]}
hook = POST /webhooks <again.token> {"name":"hook","url":"http://127.0.0.1:9/","events":["credential.verified"]}
201
sql INSERT OR REPLACE INTO receiver (tenant_id, webhook_id, partition, consecutive_failures, failing_since) VALUES ('<all.tenants.0.id>', '<hook.data.id>', 0, 3, 1800000000000)
$ list-failing-webhooks
{"webhooks":[{"tenantId":"<all.tenants.0.id>","webhookId":"<hook.data.id>","name":"hook","consecutiveFailures":3,"failingSince":"2027-01-15T08:00:00.000Z"}]}
$ list-failing-webhooks --limit 0
1 INVALID_ARGUMENT limit must be a whole number from 1 to 1000
$ rotate-signing-keys --use legacy
{"keys":[{"use":"legacy","kid":"…"}]}
$ reseal
{"secrets":[{"kind":"…","resealed":*}]}
`

/** Tenants, their hosts and time zones, and the tenant of a command. */
const tenants = `
GET other.localhost/workers <again.token>
404
added = $ add-host Other.localhost
{"id":"tnt_…",*"hosts":["localhost","127.0.0.1","[::1]","other.localhost"]}
$ add-host other.localhost
{"id":"tnt_…",*"hosts":["localhost","127.0.0.1","[::1]","other.localhost"]}
GET other.localhost/workers <again.token>
200
$ remove-host other.localhost
{"id":"tnt_…",*"hosts":["localhost","127.0.0.1","[::1]"]}
GET other.localhost/workers <again.token>
404
$ remove-host none.example
1 INVALID_ARGUMENT host none.example is not a host of the tenant; list-hosts shows the hosts of every tenant
$ set-time-zone Australia/Sidney
1 INVALID_ARGUMENT timeZone must be an IANA name, such as Australia/Sydney
$ set-time-zone +10:00
1 INVALID_ARGUMENT timeZone must be an IANA name, such as Australia/Sydney
own = $ set-time-zone Pacific/Kiritimati
{"id":"tnt_…","name":"default","timeZone":"Pacific/Kiritimati",*}
GET /me <again.token>
200 *"timeZone":"Pacific/Kiritimati"
$ set-retention 101
1 INVALID_ARGUMENT years must be a whole number of years from 1 to 100, or never
$ set-retention 7
{"id":"tnt_…","name":"default","timeZone":"Pacific/Kiritimati","retentionYears":7,*}
$ set-retention never
{"id":"tnt_…","name":"default","timeZone":"Pacific/Kiritimati","hosts"*}
acme = $ create-tenant --name acme --host OTHER.localhost --time-zone Australia/Lord_Howe
{"id":"tnt_…","name":"acme","timeZone":"Australia/Lord_Howe","hosts":["other.localhost"]}
$ list-tenants
{"tenants":[{"id":"<own.id>",*},{"id":"<acme.id>","name":"acme","timeZone":"Australia/Lord_Howe","hosts":["other.localhost"]}]}
$ list-hosts
{"hosts":[{"host":"localhost","tenant":"default","tenantId":"<own.id>"},*,{"host":"other.localhost","tenant":"acme","tenantId":"<acme.id>"}]}
$ list-hosts --tenant acme
{"hosts":[{"host":"other.localhost","tenant":"acme","tenantId":"<acme.id>"}]}
$ create-client --name x
1 INVALID_ARGUMENT the deployment has 2 tenants: select one with --tenant NAME: default (<own.id>), acme (<acme.id>)
$ list-dead-letters --tenant other
1 NOT_FOUND there is no tenant other; the tenants are default (<own.id>), acme (<acme.id>)
$ create-user --tenant <acme.id> --email bob@example.org --role Viewer
{"id":"acc_…",*}
bob = $ create-token --tenant acme --email bob@example.org --name bob
{"id":"pat_…",*}
GET other.localhost/workers <bob.token>
200
GET /workers <bob.token>
401
$ list-clients --tenant acme
{"clients":[]}
$ add-host --tenant default other.localhost
1 DUPLICATE_ID the host other.localhost belongs to another tenant; list-hosts names it
$ remove-host --tenant acme other.localhost
1 INVALID_ARGUMENT host cannot be removed: other.localhost is the only host of the tenant; add another one first
$ create-tenant --name acme --host b.example
{"id":"tnt_…","name":"acme","timeZone":"Australia/Sydney","hosts":["b.example"]}
$ list-users --tenant acme
1 INVALID_ARGUMENT several tenants have the name acme; select one by id: *
$ create-user --tenant default --email root@example.org --role 'Super Admin'
{"id":"acc_…",*}
root = $ create-token --tenant default --email root@example.org --name root
{"id":"pat_…",*}
log = GET /audit-events?account=urn:wcs:operator&pageSize=100 <root.token>
200
`

/** What the audit log of the tenant has of these commands, oldest first. A command that changes nothing adds nothing. */
const logged = [
  "tenant create, account create, accessToken create, accessToken create, accessToken revoke, apiClient create",
  "apiClient revoke, accessToken revoke, accessToken revoke, apiClient revoke, account deactivate, account activate",
  "accessToken create, account update, apiClient revoke, account create, account create, accessToken create",
  "account update, account update, account update, account set password, account verify, account unverify, account verify, tenant set abn",
  "legacyToken revoke, legacyToken create, account end tokens, account deactivate, account activate",
  "host addHost, host removeHost, tenant setTimeZone, tenant setRetention, tenant setRetention, account create, accessToken create"
].join(", ")

/** Without a server. One would send the events that are due. */
const withoutServer = `
$ create-user --email ann@example.org --role 'Super Admin'
{"id":"acc_…",*}
one = $ create-token --email ann@example.org --name one
{"id":"pat_…",*}
two = $ create-token --email ann@example.org --name two
{"id":"pat_…",*}
$ create-token --email ann@example.org --name more
1 UNPROCESSABLE the limit of 2 access tokens is reached; revoke or deactivate one, or raise the limit
$ revoke-token <two.id>
{"id":"<two.id>","revoked":true}
$ create-user --email ben@example.org --role Viewer
{"id":"acc_…",*}
$ create-user --email eve@example.org --role Viewer
1 UNPROCESSABLE the limit of 2 users is reached; revoke or deactivate one, or raise the limit
$ deactivate-user --email ben@example.org
{*"deactivatedAt":"…Z"}
$ create-user --email eve@example.org --role Viewer
{"id":"acc_…",*}
$ activate-user --email ben@example.org
1 UNPROCESSABLE the limit of 2 users is reached; revoke or deactivate one, or raise the limit
$ create-client --name one
{"clientId":"wcs_oauth_…",*}
$ create-client --name more
1 UNPROCESSABLE the limit of 1 API clients is reached; revoke or deactivate one, or raise the limit
$ list-dead-letters
{"events":[]}
acme = $ create-tenant --name acme --host acme.example
{"id":"tnt_…",*}
own = $ set-time-zone --tenant default Australia/Perth
{"id":"tnt_…",*}
sql INSERT INTO event (tenant_id, id, kind, subject_id, sequence, data, at, state, retry_at) VALUES ('<own.id>', 'evt_0000000000000001', 'credential.created', 'cred_1', 1, '{}', 1800000000000, 'retrying', 7258118400000), ('<own.id>', 'evt_0000000000000002', 'credential.created', 'cred_1', 1, '{}', 1790000000000, 'dead', NULL), ('<acme.id>', 'evt_0000000000000003', 'credential.created', 'cred_1', 1, '{}', 1780000000000, 'retrying', 7258118400000), ('<own.id>', 'evt_0000000000000004', 'credential.created', 'cred_1', 1, '{}', 1770000000000, 'retrying', 7258118400000)
$ list-dead-letters --limit 1
{"events":[{"tenantId":"<own.id>","eventId":"evt_0000000000000004","kind":"credential.created","at":"2026-02-02T02:40:00.000Z","permanent":false,"until":"2200-01-01T00:00:00.000Z"}]}
$ list-dead-letters
{"events":[{*0004",*},{"tenantId":"<acme.id>",*0003",*},{*0002",*"permanent":true,"until":null},{*0001",*}]}
$ retry-dead-letters --tenant default evt_0000000000000004
{"retried":1}
$ list-dead-letters --tenant default
{"events":[{*0004",*"permanent":false,"until":"20…Z"},{*0002",*"until":null},{*0001",*"until":"2200-01-01T00:00:00.000Z"}]}
$ retry-dead-letters --tenant acme evt_0000000000000004
1 NOT_FOUND there is no retryable event evt_0000000000000004
$ retry-dead-letters --tenant acme --all
{"retried":1}
$ retry-dead-letters --tenant default
2 USAGE retry-dead-letters needs either an event's id or --all
$ retry-dead-letters --tenant default evt_0000000000000001 --all
2 USAGE retry-dead-letters needs either an event's id or --all
$ list-dead-letters --limit 1001
1 INVALID_ARGUMENT limit must be a whole number from 1 to 1000
`

const afterwards = `
GET /workers <one.token>
200
GET /workers <two.token>
401
GET /audit-events?entityType=event <one.token>
200 *"action":"retry"*"entityId":"evt_0000000000000004"
`

interface Log {
  readonly data: ReadonlyArray<Readonly<Record<"account" | "action" | "bearer" | "entityType", unknown>>>
}

describe("wcs admin", () => {
  it.live("AUT-12, OAU-13, threat 44, LEG-05, LEG-19, LEG-22: each command through a server, with its effect", () =>
    Effect.gen(function* () {
      const files = yield* temporaryDirectory
      const webhooks = { WCS_WEBHOOK_HTTP: "allow", WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.0/8" }
      const environment = { WCS_DATA: join(files, "data"), WCS_TENANT_TIME_ZONE: "Australia/Darwin", ...webhooks }
      const running = yield* serving(environment)
      writeFileSync(join(files, "short"), "short")
      writeFileSync(join(files, "good"), "\uFEFFcorrect-horse-battery\r\nnot this line")
      const results: Results = new Map([["files", files]])
      yield* replay(credentials + users + server + tenants, environment, results, running)
      const { data } = results.get("log") as Log
      assert.strictEqual(
        data
          .map(({ action, entityType }) => `${entityType} ${action}`)
          .reverse()
          .join(", "),
        logged
      )
      for (const { account, bearer } of data) assert.deepStrictEqual([account, bearer], ["urn:wcs:operator", null])
    })
  )

  it.live("EVT-01: works on the store without a server, also on dead letters; a later server serves it", () =>
    Effect.gen(function* () {
      const caps = { WCS_CLIENTS_MAX: "1", WCS_TOKENS_MAX: "2", WCS_USERS_MAX: "2" }
      const environment = { WCS_DATA: join(yield* temporaryDirectory, "data"), ...caps }
      yield* migrated(environment)
      const results: Results = new Map()
      yield* replay(withoutServer, environment, results)
      const running = yield* serving(environment)
      assert.isNull(running.setUpUrl) // there is a token already
      yield* replay(afterwards, environment, results, running)
    })
  )
})
