import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect, Stream } from "effect"
import { Csv } from "effect/encoding"
import { answered } from "../../Answering.ts"
import {
  applicant,
  at,
  ban,
  exemption,
  fetchRequest,
  identityProvider,
  recruitmentCheck,
  Service,
  screeningPackage,
  tokenOf,
  verificationSourceFields,
  verified,
  webhook,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { endpoints } from "../EveryRoute.ts"
import { login, person, send } from "../legacy/LegacySurface.ts"
import { assertRefused, assertStatus, dataOf, get, post, root } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

/** All documents of a list, page by page. */
const walked = Effect.fnUntraced(function* (path: string) {
  const all: Array<never> = []
  let cursor: unknown = ""
  while (cursor !== null) {
    const page = yield* get(`${path}&pageSize=50${cursor === "" ? "" : `&cursor=${cursor}`}`)
    assertStatus(page, 200)
    all.push(...(dataOf(page) as ReadonlyArray<never>))
    cursor = at(page, "meta.nextCursor")
  }
  return all
})

const fileOf = (path: string, accept = "text/csv") =>
  Service.use(({ call }) => call({ method: "GET", path: `${root}${path}`, headers: { accept } }))

/** One record of each list. */
const oneOfEach = Effect.fnUntraced(function* (listed: string, erased: string) {
  const asked = yield* applicant({ displayName: "Listed, Bo" })
  yield* exemption({ worker: { id: listed } }, { exemptedCredentialTypes: ["FIRST_AID"] })
  const code = yield* screeningPackage({ code: "csv", requirements: { credentialTypes: ["FIRST_AID"] } })
  yield* recruitmentCheck({ id: asked }, code)
  yield* fetchRequest({ id: listed })
  yield* ban(listed, { matches: [{ name: "Ann" }] })
  const subscriber = yield* webhook({ name: "csv" })
  yield* Service.use((service) => service.skipped(subscriber))
  yield* identityProvider
  const { bearer } = yield* login(yield* person())
  const scan = { type: "wwcc-nsw", identifier: "WWC0000000E", first_name: "Ann", surname: "Example" }
  yield* send("POST", "/scan", bearer, { body: scan })
  const { refused, session } = yield* Service
  yield* refused(accountIdOf((yield* tokenOf("Viewer")).urn))
  yield* answered()
  const by = { as: null, headers: (yield* session(accountIdOf((yield* tokenOf("Super Admin")).urn), 0)).headers }
  yield* Row.run([{ call: `POST /workers/${erased}/erase`, ...by, body: { reason: "OTHER" }, expect: 200 }])
  return subscriber
})

/** A selection of each list that is also a CSV file, and the columns in which it must have a value. */
const lists: Readonly<Record<string, { readonly query: string; readonly filled: ReadonlyArray<string> }>> = {
  "credentials.list": { query: "expiringFrom=2000-01-01&sort=expiryDate:asc", filled: ["expiryDate", "workerId"] },
  "complianceChecks.matrix": { query: "query=listed", filled: ["displayName", "csv", "csv missing"] },
  "auditEvents.list": { query: "entityType=worker&include=changes", filled: ["bearerKind", "entityId", "changes"] },
  "tasks.list": { query: "reason=SOURCE_FAILED", filled: ["reason", "since", "verificationSourceId"] },
  "messages.list": { query: "state=REFUSED", filled: ["kind", "state", "email", "cause", "attempts"] },
  "answers.list": { query: "state=WAITING", filled: ["requestId", "workerId", "credentialTypes", "consentAt"] },
  "workers.list": { query: "query=listed", filled: ["displayName", "createdAt"] },
  "applicants.list": { query: "query=listed", filled: ["displayName", "emailAddress", "status"] },
  "exemptions.list": { query: "include=owners", filled: ["exemptionType", "workerName", "exemptedCredentialTypes"] },
  "complianceChecks.list": { query: "query=csv", filled: ["displayName", "severity", "credentialTypes", "mode"] },
  "screeningPackages.list": { query: "query=csv", filled: ["name", "active", "credentialTypes"] },
  "recruitmentChecks.list": { query: "include=owners", filled: ["applicantName", "screeningPackageCode", "status"] },
  "fetchRequests.list": { query: "include=owners", filled: ["workerName", "requestedCredentialTypes", "status"] },
  "bans.list": { query: "include=owners", filled: ["register", "workerName", "matches"] },
  "units.list": { query: "externalId=csv", filled: ["name", "externalId"] },
  "scans.list": { query: "status=unmatched", filled: ["identifier", "outcome", "account"] },
  "erasures.list": { query: "status=ERASED", filled: ["workerId", "reason", "account"] },
  "verificationSources.list": { query: "state=NOT_CONFIGURED", filled: ["credentialType", "url", "state"] },
  "webhooks.list": { query: "query=csv", filled: ["name", "url", "events"] },
  "webhooks.deliveries": { query: "state=SKIPPED_DISABLED", filled: ["webhookId", "event", "subjectId", "createdAt"] },
  "webhooks.search": { query: "event=webhook.test", filled: ["webhookId", "eventId", "state", "correlationId"] },
  "identityProviders.list": { query: "kind=oidc", filled: ["name", "kind"] },
  "users.list": { query: "includeDeleted=true", filled: ["email", "role", "lastLoginAt", "lastLoginMethod"] },
  "reports.verifications": { query: "query=listed", filled: ["displayName", "verifiedOn"] }
}

layer(layerService(), { excludeTestServices: true })("a list as a file", (it) => {
  it.effect("has what the list has, for every list that the contract declares so", () =>
    Effect.gen(function* () {
      yield* post("/compliance-checks", {
        ...{ code: "csv", displayName: "Csv" },
        requirement: { credentialTypes: ["WWCC_NSW", "FIRST_AID"] }
      })
      yield* post("/units", { name: "Csv", externalId: "csv" })
      yield* post("/verification-sources", { ...verificationSourceFields, secret: undefined })
      const ids = yield* Effect.replicateEffect(worker({ identity: { displayName: "Listed, Ann" } }), 102)
      for (const id of ids.slice(0, 3)) yield* verified({ worker: id })
      const subscriber = yield* oneOfEach(ids[0] ?? "", ids[1] ?? "")

      const declared = endpoints.flatMap(({ name, path, table }) =>
        table === undefined ? [] : [{ name, path, table }]
      )
      assert.sameMembers(
        declared.map(({ name }) => name),
        Object.keys(lists)
      )
      for (const { name, path, table } of declared) {
        const { filled = [], query } = lists[name] ?? {}
        const selected = `${path.slice(root.length).replace(":id", subscriber)}?${query}`
        const documents = yield* walked(selected)
        const columns = table.columnsOf(documents)
        assert.includeMembers([...columns], [...filled], name)
        const rows = documents.map((document) => {
          const row = table.rowOf(document)
          return Object.fromEntries(columns.map((column) => [column, String(row[column] ?? "")]))
        })
        for (const column of filled)
          assert.isTrue(
            rows.some((row) => row[column] !== ""),
            `${name}: ${column}`
          )
        const answer = yield* fileOf(selected)
        assert.strictEqual(answer.headers["content-type"], "text/csv; charset=utf-8", name)
        const lines = yield* Stream.succeed(answer.text).pipe(
          Stream.pipeThroughChannel(Csv.decodeString({ headers: true })),
          Stream.runCollect,
          Effect.orDie
        )
        assert.deepStrictEqual(lines, rows, name)
        const page = yield* fileOf(selected, "text/html")
        assert.strictEqual(page.headers["content-type"], "text/html; charset=utf-8", name)
        const printed = [...page.text.matchAll(/^<tr>(.*)<\/tr>$/gm)].map(([, cells = ""]) =>
          [...cells.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell = ""]) => cell.replaceAll("&quot;", '"'))
        )
        assert.deepStrictEqual(
          printed,
          rows.map((row) => Object.values(row)),
          name
        )
        assertRefused(yield* fileOf(`${selected}&pageSize=5`), "INVALID_ARGUMENT", "pageSize")
      }
    })
  )
})
