import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { checkProof } from "@wcs/domain/proof/ProofCheck"
import { verifierOf } from "@wcs/keys/AuditSignatures"
import { check } from "@wcs/store-suite/Property"
import { Effect, type Scope } from "effect"
import fc from "fast-check"
import { call, dataOf, done, stopped } from "../Calls.ts"
import { ask, bearer, type Server, serving, temporaryDirectory } from "../Process.ts"
import { onPostgres, onSqlite, type Place, rowsOf, run, sealed } from "./Places.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const root = "/openapi/v1"

/** Waits until a call answers what is needed. */
const until = Effect.fnUntraced(function* (
  server: Server,
  token: string,
  path: string,
  isDone: (data: Record<string, never>) => boolean
) {
  for (;;) {
    const { text } = yield* call(server, token, path)
    const { data } = JSON.parse(text)
    if (isDone(data)) return { data, text }
    yield* Effect.sleep("50 millis")
  }
})

/** The day this many days from now, in UTC. */
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** A worker with a card for which a person decided, an exemption, and a check that the worker fails. */
const fill = Effect.fnUntraced(function* (server: Server, token: string) {
  const worker = yield* dataOf(server, token, "/workers", {
    identity: { displayName: "Ann <b>Example</b>", birthDate: "1990-02-03" },
    employment: { workerType: "EMPLOYEE" }
  })
  const card = yield* dataOf(server, token, "/credentials", {
    attributes: { credentialType: "WWCC_NSW", identifier: "WWC1234567E", owners: { worker: worker.id } }
  })
  yield* dataOf(server, token, "/exemptions", {
    worker: { id: worker.id },
    exemptionType: "overseas",
    grantedBy: "The board",
    exemptedCredentialTypes: ["FIRST_AID"]
  })
  yield* dataOf(server, token, "/compliance-checks", {
    code: "children",
    displayName: "Work with children",
    requirement: { credentialTypes: ["WWCC_NSW", "FIRST_AID"], exemptionsCount: true }
  })
  yield* until(
    server,
    token,
    `/credentials/${card.id}`,
    (data) => Object(data).attributes.statusDetail === "DETAILS_MISSING"
  )
  yield* dataOf(server, token, `/credentials/${card.id}/decisions`, {
    outcome: "MAY_NOT_ENGAGE",
    reason: "The card must be read first.",
    endsOn: inDays(10)
  })
  return { worker: String(worker.id), card: String(card.id) }
})

const isSealed = (proof: Record<string, never>): boolean =>
  [...Object(proof).records, ...Object(proof).entries].every(({ seal }: { seal: unknown }) => seal !== null)

/** A server with a worker whose facts are all sealed, and the proof of them. */
const prepare = Effect.fnUntraced(function* (place: Place) {
  const { environment } = place
  const server = yield* serving({ ...environment, WCS_AUDIT_SEAL_SECONDS: "1" })
  const email = "ann@example.com"
  const [tenant = {}] = rowsOf(yield* done(environment, "admin", "list-tenants"))
  yield* done(environment, "admin", "create-user", "--email", email, "--role", "Super Admin")
  const { token } = yield* done(environment, "admin", "create-token", "--email", email, "--name", "laptop")
  const ids = yield* fill(server, token)
  const path = `/workers/${ids.worker}/proof`
  const { text } = yield* until(server, token, path, isSealed)
  const { keys } = yield* done(environment, "audit", "keys")
  return { ...ids, server, token, path, text, kid: String(keys[0]), tenantId: String(tenant["id"]) }
})

/** Replaces a character by another one. */
const replaced = (text: string, at: number, by: string): string => {
  const index = at % text.length
  return text.slice(0, index) + (text[index] === by ? (by === "x" ? "y" : "x") : by) + text.slice(index + 1)
}

const suite = (name: string, make: Effect.Effect<Place, never, Scope.Scope>): void => {
  it.live(`threat 67: wcs audit verify checks a proof offline and names what was altered, on ${name}`, () =>
    Effect.gen(function* () {
      const place = yield* make
      const { environment, sql } = place
      const { card, kid, path, server, text, tenantId, token, worker } = yield* prepare(place)
      const directory = yield* temporaryDirectory
      const verify = Effect.fnUntraced(function* (content: string, key = kid, ...flags: ReadonlyArray<string>) {
        const file = join(directory, "proof.json")
        writeFileSync(file, content)
        return yield* run({ ...place, environment: {} }, "audit", "verify", "--file", file, `--key=${key}`, ...flags)
      })

      const intact = yield* verify(text)
      assert.strictEqual(intact.code, 0, intact.message)
      const { checks, notSealed, records, sealedRecords, verdicts } = intact.result
      assert.deepStrictEqual(checks, [{ check: "children", result: "FAIL", sealed: true }])
      assert.deepStrictEqual([records, sealedRecords], [4, 4])
      assert.match(String(intact.result["doesNotProve"]), /^That nothing is missing/)
      assert.deepStrictEqual(notSealed, [
        ...["names of users", "name of the organization", "time zone of the organization, which decides the day"]
      ])
      assert.strictEqual(intact.result["tenantId"], tenantId)
      assert.strictEqual(verdicts, "computed again from the records")
      const { data: proof } = JSON.parse(text)
      const [fact] = proof.cards
      assert.deepStrictEqual(
        [fact.birthDate, fact.identifier, fact.eligibility, fact.engagement, fact.decision.outcome],
        ["1990-02-03", "WWC1234567E", "REVIEW_REQUIRED", "PAID", "MAY_NOT_ENGAGE"]
      )
      assert.deepInclude(proof.people, { account: fact.decision.account, name: "ann@example.com" })

      // a change of any byte is refused
      const verifier = yield* verifierOf(proof.keys)
      const judged = (content: string) =>
        Effect.match(checkProof(content, { seal: verifier, proof: verifier.proof }, sha256), {
          onSuccess: () => "accepted",
          onFailure: ({ reason }) => reason
        })
      assert.strictEqual(yield* judged(text), "accepted")
      const anyByte = fc.record({
        at: fc.nat(text.length),
        by: fc.constantFrom("x", "0", "9", '"', " ", "A", "\u00e9")
      })
      yield* check(anyByte, ({ at, by }) =>
        Effect.map(judged(replaced(text, at, by)), (said) => assert.notStrictEqual(said, "accepted"))
      )
      const altered = yield* verify(text.replace("WWC1234567E", "WWC7654321E"))
      assert.strictEqual(altered.code, 1)
      assert.include(altered.message, `cards[0] (${card}) was altered`)

      // a key that is not given
      const stranger = yield* verify(text, "A".repeat(43))
      assert.deepStrictEqual([stranger.code, stranger.message.includes("not trusted")], [1, true])

      // another organization of the same deployment has the same keys
      assert.strictEqual((yield* verify(text, kid, "--tenant", tenantId)).code, 0)
      const foreign = yield* verify(text, kid, "--tenant", "tnt_another")
      assert.deepStrictEqual([foreign.code, foreign.message.includes(`it is of ${tenantId}`)], [1, true])

      // an officer who may not read the audit log has the same facts
      yield* done(environment, "admin", "create-user", "--email", "bob@example.com", "--role", "Data Manager")
      const bob = yield* done(environment, "admin", "create-token", "--email", "bob@example.com", "--name", "desk")
      const officers = yield* call(server, bob.token, path)
      const officer = JSON.parse(officers.text).data
      assert.deepStrictEqual([officer.entries, officer.cards], [[], proof.cards])
      assert.strictEqual((yield* verify(officers.text)).code, 0)

      // the page has the facts as text
      const page = yield* ask(server, `${root}${path}`, { headers: { ...bearer(token), accept: "text/html" } })
      assert.include(page.text, "Ann &lt;b&gt;Example&lt;/b&gt;")
      assert.include(page.text, "WWC1234567E")
      assert.include(page.text, "ann@example.com (urn:wcs:account:")
      assert.include(page.text, "default-src &#39;none&#39;")
      assert.notInclude(page.text, "<script")

      // a change that is not sealed yet
      yield* ask(server, `${root}/workers/${worker}`, {
        method: "PATCH",
        headers: { ...bearer(token), "content-type": "application/merge-patch+json" },
        body: JSON.stringify({ employment: { jobTitle: "Cook" } })
      })
      const fresh = JSON.parse((yield* call(server, token, path)).text).data
      const [changed] = fresh.records
      assert.oneOf(changed.coverage, ["PENDING", "SEALED"])
      assert.strictEqual(fresh.nextSealDue === null, changed.coverage === "SEALED")
      yield* sealed(place, tenantId)

      // somebody changes the store behind the service, which then signs what it reads
      const set = (from: string, to: string) =>
        sql(`UPDATE resource_version SET document = replace(document, '${from}', '${to}')
        WHERE tenant_id = '${tenantId}' AND id = '${card}'`)
      yield* set("WWC1234567E", "WWC7654321E")
      const forged = yield* verify((yield* call(server, token, path)).text)
      assert.strictEqual(forged.code, 1)
      assert.match(forged.message, new RegExp(`credential ${card}, version \\d+, is not as seal \\d+ has it`))
      yield* set("WWC7654321E", "WWC1234567E")
      assert.strictEqual((yield* verify((yield* call(server, token, path)).text)).code, 0)

      // the newest version is deleted: the seal of its entry has it
      yield* sql(`DELETE FROM resource_version WHERE tenant_id = '${tenantId}' AND id = '${worker}' AND version =
        (SELECT max(version) FROM resource_version WHERE tenant_id = '${tenantId}' AND id = '${worker}')`)
      const older = yield* verify((yield* call(server, token, path)).text)
      assert.strictEqual(older.code, 1, older.message)
      assert.match(older.message, new RegExp(`worker ${worker}, version \\d+, was not the newest`))

      // a card is altered, and the row that names its seal is deleted
      yield* set("WWC1234567E", "WWC7654321E")
      yield* sql(`DELETE FROM record_seal WHERE tenant_id = '${tenantId}' AND id = '${card}'`)
      const unsealed = yield* verify((yield* call(server, token, path)).text)
      assert.strictEqual(unsealed.code, 1, unsealed.message)
      assert.match(unsealed.message, /is stated without a seal, but seal \d+ has it/)

      // the next seal takes the altered card, which the log tells of: its versions are named twice
      assert.strictEqual((yield* run(place, "audit", "verify")).code, 0)
      yield* ask(server, `${root}/credentials/${card}`, {
        method: "PATCH",
        headers: { ...bearer(token), "content-type": "application/merge-patch+json" },
        body: JSON.stringify({ attributes: { category: "Gold" } })
      })
      let twice = yield* run(place, "audit", "verify")
      while (twice.code === 0) {
        yield* Effect.sleep("50 millis")
        twice = yield* run(place, "audit", "verify")
      }
      assert.match(twice.message, /the seal names a version of a record that the seals before it have named/)
      yield* stopped(server)
    })
  )
}

describe("a proof", () => {
  suite("SQLite", onSqlite)
  suite("Postgres", onPostgres)
})
