import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { Agent, request } from "node:https"
import type { Adapters } from "@wcs/deployment/Adapters"
import { Serving } from "@wcs/deployment/Serving"
import { layerTest } from "@wcs/deployment/TestDeployment"
import { tokenLength } from "@wcs/domain/access/OpaqueToken"
import { defaultRateLimits, type RateLimits } from "@wcs/domain/access/RateLimitTier"
import * as AnswerMinting from "@wcs/domain/answer/AnswerMinting"
import { entryOf } from "@wcs/domain/audit/AuditEntry"
import * as Bans from "@wcs/domain/credential/Bans"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { type Import, ImportsMax } from "@wcs/domain/import/Import"
import { ImportStore } from "@wcs/domain/import/ImportStore"
import { queued } from "@wcs/domain/message/Announcing"
import { sampleCause } from "@wcs/domain/message/Message"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import { stepOf } from "@wcs/domain/second-factor/SecondFactor"
import { SecondFactorStore } from "@wcs/domain/second-factor/SecondFactorStore"
import { expiryOf } from "@wcs/domain/session/Session"
import { SessionStore } from "@wcs/domain/session/SessionStore"
import { Ids, isId } from "@wcs/domain/shared/Id"
import { toRfc3339 } from "@wcs/domain/shared/Instant"
import { isObject } from "@wcs/domain/shared/Json"
import { DomainProof } from "@wcs/domain/single-sign-on/DomainProof"
import { IdentityProvidersMax } from "@wcs/domain/single-sign-on/IdentityProviders"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import { Users } from "@wcs/domain/user/Users"
import { VerificationSourcesMax } from "@wcs/domain/verification/VerificationSources"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { testDelivery } from "@wcs/domain/webhook/FanOut"
import { urlForRouter } from "@wcs/http/pipeline/PathMatching"
import * as Contract from "@wcs/store-suite/contract/Contract"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Clock, Effect, Layer, Option, Record, Redacted, References, Result } from "effect"
import { collect } from "./listening/Wire.ts"
import * as MovedClock from "./MovedClock.ts"
import { type Answer, type Call, operator, otherHost, Service } from "./Service.ts"
import { certificateFile } from "./TestServer.ts"

/** Limits that no test reaches by accident. */
export const raisedLimits: RateLimits = Record.map(defaultRateLimits, () => 1_000_000)

/** The environment variables that set limits. */
export const limitVariables = (limits: RateLimits): Readonly<Record<string, string>> => ({
  WCS_RATE_STANDARD: String(limits.standard),
  WCS_RATE_INTENSIVE: String(limits.intensive),
  WCS_RATE_TENANT_MULTIPLE: String(limits.tenantStandard / limits.standard),
  WCS_RATE_UNAUTHENTICATED: String(limits.unauthenticated),
  WCS_RATE_TOKEN_FAILURES: String(limits.tokenFailures),
  WCS_RATE_ADDRESS_FAILURES: String(limits.addressFailures),
  WCS_RATE_LOGIN_FAILURES: String(limits.loginFailures),
  WCS_RATE_TOKENS_ISSUED: String(limits.tokensIssued)
})

/** Creates a second tenant, and a Super Admin of the first. */
const settle = Effect.gen(function* () {
  const administration = yield* Administration
  const [tenant] = yield* AccessStore.use((store) => store.listTenants)
  if (tenant === undefined) return yield* Effect.die(new Error("the first run created no tenant"))
  const otherTenant = yield* administration.createTenant("other", [otherHost], operator)
  yield* administration.createUser(tenant.id, "super@example.org", "Super Admin", operator)
  const made = yield* administration.createToken(tenant.id, "super@example.org", "test", null, operator)
  return { tenant, otherTenant, superAdmin: Redacted.value(made.secret) }
}).pipe(Effect.orDie)

/** The operator's commands, on the server's clock instead of the test's. */
const onClock = <Commands extends object>(commands: Commands, clock: Clock.Clock): Commands =>
  Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [
      name,
      (...given: ReadonlyArray<unknown>) => Effect.provideService(command(...given), Clock.Clock, clock)
    ])
  ) as Commands

/** Sends one request, over a connection that the agent may reuse. */
const send = (agent: Agent, port: number, superAdmin: string, call: Call): Promise<Answer> => {
  const { address = "127.0.0.1", body, headers, host = "localhost", method, path, token = superAdmin } = call
  const content = call.rawBody ?? (body === undefined ? undefined : JSON.stringify(body))
  const options = {
    agent,
    port,
    path,
    method,
    host: "127.0.0.1",
    servername: "localhost", // the certificate is for this machine, and the request names another host
    localAddress: address,
    headers: {
      host,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      // Node does not set the length of a DELETE's body.
      ...(content === undefined ? {} : { "content-length": String(Buffer.byteLength(content)) }),
      ...headers
    }
  }
  return new Promise((resolve, reject) => {
    request(options)
      .once("error", reject)
      .once("response", (response) => collect(response).then((reply) => resolve(toAnswer(reply)), reject))
      .end(content)
  })
}

const toAnswer = ({ headers, status, text }: Awaited<ReturnType<typeof collect>>): Answer => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
  text,
  json: Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))
})

/** The server's OpenAPI documents, parsed once. */
const contracts = new Map<string, Promise<Contract.Contract>>()

const contractOf = ({ json, text }: Answer): Promise<Contract.Contract> => {
  const contract = contracts.get(text) ?? Contract.make(isObject(json) ? json : {})
  contracts.set(text, contract)
  return contract
}

/**
 * Fails a test whose response differs from the OpenAPI document. The document does not cover other hosts, nor paths
 * that the URL standard and the server read differently (`..`, a backslash).
 */
const holdTo = ({ judge }: Contract.Contract, { headers, host = "localhost", method, path }: Call, answer: Answer) => {
  if (host !== "localhost" && host !== otherHost) return Effect.void
  const url = `https://${host}${urlForRouter(path)}`
  if (!url.startsWith(`https://${host}${new URL(url).pathname}`)) return Effect.void
  const headerBytes = JSON.stringify(headers ?? {}).length
  const judgement = judge({ ...answer, method, url, headerBytes })
  const differences = judgement.within ? judgement.differences : []
  return differences.length === 0 ? Effect.void : Effect.die(new Error(differences.join("\n")))
}

/** TXT records by name. */
type Texts = Map<string, ReadonlyArray<string>>

const textsOf =
  (texts: Texts): DomainProof["Service"]["textsOf"] =>
  (name) =>
    Effect.sync(() => texts.get(name) ?? [])

const make = Effect.fnUntraced(function* ({ advance, clock }: MovedClock.MovedClock, texts: Texts) {
  const { port } = yield* Serving
  const ca = readFileSync(yield* certificateFile)
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ ca, keepAlive: true })),
    (agent) => Effect.sync(() => agent.destroy())
  )
  const settled = yield* settle
  const sent = (call: Call) => Effect.promise(() => send(agent, port, settled.superAdmin, call))
  const contract = yield* Effect.flatMap(sent({ method: "GET", path: "/openapi.json", token: null }), (answer) =>
    Effect.promise(() => contractOf(answer))
  )
  const ids = yield* Ids
  const sessions = yield* SessionStore
  const factors = yield* SecondFactorStore
  const deliveries = yield* DeliveryStore
  const imports = yield* ImportStore
  const messages = yield* MessageStore
  const stores = yield* Effect.context<ResourceStore | Ids>()
  const links = yield* AnswerMinting.make
  const minted = (secret: Effect.Effect<Option.Option<Redacted.Redacted>>) =>
    Effect.map(
      Effect.provideService(secret, Clock.Clock, clock),
      Option.match({ onNone: () => "", onSome: Redacted.value })
    )
  return Service.of({
    ...settled,
    administration: onClock(yield* Administration, clock),
    users: onClock(yield* Users, clock),
    advance,
    publish: (name, ...published) => Effect.sync(() => texts.set(name, published)),
    recordBan: (tenantId, entry) =>
      Effect.provideContext(Effect.provideService(Bans.record(tenantId, entry, operator), Clock.Clock, clock), stores),
    recordVerdict: (id, verdict) =>
      Effect.provideContext(
        ResourceStore.use((store) =>
          store.change(Credential, settled.tenant.id, id, [], ({ current }) => {
            const { fields, version, ...rest } = Option.getOrThrow(current)
            const changed = { version: version + 1, updatedAt: clock.currentTimeMillisUnsafe() }
            const next = { ...rest, ...changed, fields: { attributes: { ...fields.attributes, ...verdict } } }
            return Result.succeed({ _tag: "Changed" as const, next, records: noRecords })
          })
        ),
        stores
      ),
    session: (accountId, ageSeconds = 0) =>
      Effect.gen(function* () {
        const token = yield* ids.secret(tokenLength)
        const now = yield* clock.currentTimeMillis
        const id = yield* ids.mint("session")
        const session = {
          id,
          tenantId: settled.tenant.id,
          accountId,
          tokenHash: createHash("sha256").update(token).digest("hex"),
          method: "password",
          providerId: null,
          userAgent: "test",
          createdAt: now,
          authenticatedAt: now - ageSeconds * 1000,
          seenAt: now,
          expiresAt: expiryOf(now),
          revokedAt: null
        } as const
        const auditedAction = { operation: "CREATE", action: "create", entityType: "session", entityId: id } as const
        const entry = entryOf(yield* ids.mint("audit"), operator, auditedAction, now)
        yield* sessions.insert(session, entry, null, () => true)
        const origin = "https://localhost"
        return {
          id,
          headers: { cookie: `__Host-wcs=${token}`, "x-wcs-console": "1", "sec-fetch-site": "same-origin", origin }
        }
      }),
    withApp: (accountId) => {
      const { id: tenantId } = settled.tenant
      const [createdAt, usedAt] = [Date.UTC(2026, 0, 31), Date.UTC(2026, 1, 1)]
      const next = {
        ...{ tenantId, accountId, sealedSeed: "", createdAt, confirmedAt: createdAt },
        ...{ lastStep: stepOf(usedAt), recoveryHashes: [], failures: [] }
      }
      return factors.change(tenantId, accountId, () => ({ answer: undefined, next }))
    },
    imported: (status) =>
      Effect.gen(function* () {
        const now = yield* clock.currentTimeMillis
        const id = yield* ids.mint("import")
        const action = { operation: "CREATE", action: "create", entityType: "import", entityId: id } as const
        const it: Import = {
          ...{ id, tenantId: settled.tenant.id, version: 1, name: "staff.csv", status, rows: 0, dateOrder: "DMY" },
          ...{ columns: [{ name: "Name", samples: [], proposal: "identity.displayName" }], withDuplicates: false },
          ...{ mapped: [{ column: "Name", field: "identity.displayName" }], cursor: 0, seen: 0, counts: {} },
          ...{ isUntouched: false, beforeUndo: null, problem: null, actor: operator, createdAt: now, updatedAt: now }
        }
        const audit = entryOf(yield* ids.mint("audit"), operator, action, now)
        yield* imports.begin(it, audit, () => Result.void)
        return id
      }),
    refused: (recipientId) =>
      Effect.gen(function* () {
        const now = yield* clock.currentTimeMillis
        const id = yield* ids.mint("message")
        const cause = sampleCause(yield* ids.ulid)
        const { message } = queued(id, "RED_TODAY", cause, { id: recipientId, email: "ann@example.org" }, now)
        const recipient = { type: "worker", id: recipientId } as const
        const ending = { state: "REFUSED", attempts: 1, reply: "550 No such user", endedAt: toRfc3339(now) } as const
        const to = isId("worker", recipientId) ? { recipient } : {}
        const refused = { ...message, fields: { ...message.fields, ...ending, ...to } }
        const action = { operation: "CREATE", action: "sample", entityType: "message", entityId: id } as const
        const audit = entryOf(yield* ids.mint("audit"), operator, action, now)
        const limit = { since: now, most: 1_000_000 }
        yield* messages.insert(settled.tenant.id, { message: refused, dueAt: null }, limit, audit)
        return id
      }),
    answerLink: (request) => minted(links.issue(settled.tenant.id, request)),
    answerCode: (request) => minted(links.issueCode(settled.tenant.id, request)),
    skipped: (webhookId) =>
      Effect.gen(function* () {
        const now = yield* clock.currentTimeMillis
        const deliveryId = yield* ids.mint("delivery")
        const minted = { deliveryId, eventId: yield* ids.mint("event"), correlationId: deliveryId }
        const draft = testDelivery({ tenantId: settled.tenant.id, webhookId }, minted, now)
        const auditedAction = {
          operation: "UPDATE",
          action: "ping",
          entityType: "webhook",
          entityId: webhookId
        } as const
        const audit = entryOf(yield* ids.mint("audit"), operator, auditedAction, now)
        yield* deliveries.begin({ ...draft, state: "SKIPPED_DISABLED" }, audit)
        return deliveryId
      }),
    now: clock.currentTimeMillis,
    call: (call) => Effect.tap(sent(call), (answer) => holdTo(contract, call, answer))
  })
})

/** The store: `sqlite`, a file of the data directory, or `postgres`, a database of its own. */
const engine = process.env["WCS_TEST_ENGINE"] ?? "sqlite"

if (engine !== "sqlite" && engine !== "postgres") throw new Error("WCS_TEST_ENGINE must be sqlite or postgres")

const database = engine === "postgres" ? freshDatabase : Effect.succeed(undefined)

/** The server of production in this process, on any engine, with changes. */
export const layerService = (
  limits: RateLimits = raisedLimits,
  replaced: Partial<Adapters> = {},
  more: Readonly<Record<string, string>> = {}
): Layer.Layer<Service> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const moved = yield* MovedClock.make
      const texts: Texts = new Map()
      const server = layerTest({
        domainProof: Layer.succeed(DomainProof, { textsOf: textsOf(texts) }),
        ...replaced,
        clock: moved.clock,
        engine: yield* database,
        settings: {
          ...limitVariables(limits),
          WCS_WEBHOOKS_MAX: "1000",
          WCS_CLIENTS_MAX: "10000",
          WCS_TOKENS_MAX: "10000",
          // No mail server answers there, so messages wait.
          ...{ WCS_MESSAGES: "smtp", WCS_MESSAGES_FROM: "wcs@example.org" },
          ...{ WCS_SMTP_HOST: "127.0.0.1", WCS_SMTP_PORT: "1", WCS_SMTP_TLS: "none" },
          ...more
        }
      })
      return Layer.effect(Service, make(moved, texts)).pipe(
        Layer.provide(server),
        Layer.provide([
          Layer.succeed(IdentityProvidersMax, 1000),
          Layer.succeed(VerificationSourcesMax, 1000),
          Layer.succeed(ImportsMax, 100_000)
        ]),
        Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn")),
        Layer.orDie
      )
    })
  )
