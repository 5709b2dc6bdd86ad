import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { dataOf, done, stopped } from "../Calls.ts"
import { migrated } from "../InProcess.ts"
import { type Server, serving, temporaryDirectory } from "../Process.ts"
import { onPostgres, onSqlite, type Place, rowOf, rowsOf, run, sealed } from "./Places.ts"

/** A deployment with entries in at least two batches, whose server has stopped. */
const prepare = Effect.fnUntraced(function* (place: Place) {
  const { environment } = place
  const server: Server = yield* serving({ ...environment, WCS_AUDIT_SEAL_SECONDS: "1" })
  const email = "ann@example.com"
  const [tenant = {}] = rowsOf(yield* done(environment, "admin", "list-tenants"))
  const id = String(tenant["id"])
  yield* done(environment, "admin", "create-user", "--email", email, "--role", "Super Admin")
  const { token } = yield* done(environment, "admin", "create-token", "--email", email, "--name", "laptop")
  yield* sealed(place, id)
  for (let count = 0; count < 3; count++) {
    yield* dataOf(server, token, "/workers", { identity: { displayName: "Ann Example" } })
  }
  yield* sealed(place, id)
  const out = join(yield* temporaryDirectory, "export.jsonl")
  const exported = yield* done(environment, "audit", "export", "--out", out)
  yield* stopped(server)
  return { id, name: String(tenant["name"]), out, exported }
})

const suite = (name: string, make: Effect.Effect<Place, never, Scope.Scope>): void => {
  it.live(`threat 37: wcs audit verify names the batch and entry that somebody changed in the store, on ${name}`, () =>
    Effect.gen(function* () {
      const place = yield* make
      const { environment, sql } = place
      const { exported, id, name, out } = yield* prepare(place)
      const intact = yield* done(environment, "audit", "verify", "--against", out)
      const last = Number(rowOf(intact, id)["seals"])
      assert.isAtLeast(last, 2)
      const ofTenant = `tenant_id = '${id}'`
      const [first] = yield* sql(`SELECT id FROM audit_event WHERE ${ofTenant} ORDER BY position LIMIT 1`)

      // a column that no reader sees
      yield* sql(`UPDATE audit_event SET worker_before = 'wkr_1' WHERE id = '${first?.["id"]}'`)
      const edited = yield* run(place, "audit", "verify")
      const { batch, entry, fault } = rowOf(edited.result, id)
      assert.deepStrictEqual([edited.code, batch, entry, fault], [1, 1, first?.["id"], "the entry was altered"])
      assert.include(edited.message, `the audit log of ${name} was altered at batch 1`)
      yield* sql(`UPDATE audit_event SET worker_before = NULL WHERE id = '${first?.["id"]}'`)
      yield* done(environment, "audit", "verify")

      const end = `(SELECT last_position FROM audit_seal WHERE ${ofTenant} AND number = ${last - 1})`
      yield* sql(`DELETE FROM audit_event WHERE ${ofTenant} AND position > ${end}`)
      yield* sql(`DELETE FROM audit_seal WHERE ${ofTenant} AND number = ${last}`)
      yield* done(environment, "audit", "verify", "--tenant", name)
      const truncated = yield* run(place, "audit", "verify", "--against", out)
      const row = rowOf(truncated.result, id)
      assert.deepStrictEqual([truncated.code, row["batch"], row["fault"]], [1, last, "the seal is missing"])
      const refused = yield* run(place, "audit", "export", "--out", out)
      assert.strictEqual(refused.code, 2, "an export is never replaced")

      const [kid = ""] = exported["keys"] as ReadonlyArray<string>
      assert.deepStrictEqual(yield* done({}, "audit", "verify", "--file", out, `--key=${kid}`), intact)
    })
  )
}

describe("wcs audit", () => {
  suite("SQLite", onSqlite)
  suite("Postgres", onPostgres)

  it.live("threat 37: an export that was changed, cut or signed by another key does not verify", () =>
    Effect.gen(function* () {
      const place = yield* onSqlite
      yield* migrated(place.environment)
      yield* done(place.environment, "admin", "create-user", "--email", "ann@example.com", "--role", "Viewer")
      const server = yield* serving({ ...place.environment, WCS_AUDIT_SEAL_SECONDS: "1" })
      const [tenant = {}] = rowsOf(yield* done(place.environment, "admin", "list-tenants"))
      yield* sealed(place, String(tenant["id"]))
      const path = yield* temporaryDirectory
      const out = join(path, "export.jsonl")
      const [kid = ""] = (yield* done(place.environment, "audit", "export", "--out", out))[
        "keys"
      ] as ReadonlyArray<string>
      server.signal("SIGTERM")
      const verifyFile = (file: string, key: string) => run(place, "audit", "verify", "--file", file, `--key=${key}`)
      assert.strictEqual((yield* verifyFile(out, kid)).code, 0)
      assert.strictEqual((yield* verifyFile(out, "A".repeat(43))).code, 1)

      const text = readFileSync(out, "utf8")
      const changed = join(path, "changed.jsonl")
      writeFileSync(changed, text.replace('"action":"create"', '"action":"update"'))
      const altered = yield* verifyFile(changed, kid)
      assert.deepStrictEqual([altered.code, altered.message.includes("the entry was altered")], [1, true])
      for (const cut of [text.slice(0, text.trimEnd().lastIndexOf("\n") + 1), text.slice(0, 3000), "", "{}\n"]) {
        writeFileSync(changed, cut)
        assert.strictEqual((yield* verifyFile(changed, kid)).code, 2)
      }
      for (const args of [["--file", out], [`--key=${kid}`], ["--file", out, `--key=${kid}`, "--tenant", "default"]]) {
        assert.strictEqual((yield* run(place, "audit", "verify", ...args)).code, 2)
      }
    })
  )
})
