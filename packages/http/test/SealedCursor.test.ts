import { assert, layer } from "@effect/vitest"
import { newerRoot } from "@wcs/api/NewerSurface"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import { Administration } from "@wcs/domain/token/Administration"
import { Effect, Redacted } from "effect"
import * as Deployment from "./Deployment.ts"

const operator = { account: operatorUrn, bearer: null, requestId: "operator" }

layer(Deployment.layer(Deployment.services()))("threat 46: cursors", (it) => {
  it.effect("show nothing of the data, and are valid for their tenant and list only", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.Settled
      const administration = yield* Administration
      const token = yield* tokenOf("Super Admin")
      for (const displayName of ["Ann Secret", "Bea Secret"]) {
        const body = JSON.stringify({ identity: { displayName } })
        const headers = { "content-type": "application/json" }
        yield* Deployment.call({ path: `${newerRoot}/workers`, method: "POST", token, headers, body })
      }
      const list = (cursor: string, asked: Partial<Deployment.Call> = {}) =>
        Deployment.call({
          path: `${newerRoot}/workers?pageSize=1&sort=displayName:asc${cursor}`,
          token,
          ...asked
        })
      const cursorOf = ({ text }: Deployment.Answer) => String(/"nextCursor":"([^"]*)"/.exec(text)?.[1])
      const cursor = cursorOf(yield* list(""))
      assert.match(cursor, /^v1\.[\w-]+$/)
      assert.notMatch(Buffer.from(cursor.slice(3), "base64url").toString("latin1"), /Ann|worker|display/)
      assert.include((yield* list(`&cursor=${cursor}`)).text, "Bea Secret")

      const other = yield* administration.createTenant("other", ["other.example"], operator)
      yield* administration.createUser(other.id, "bob@example.org", "Super Admin", operator)
      const { secret } = yield* administration.createToken(other.id, "bob@example.org", "test", null, operator)
      const elsewhere = { token: Redacted.value(secret), headers: { host: "other.example" } }
      assert.strictEqual((yield* list("", elsewhere)).status, 200)
      const plain = encodeURIComponent(JSON.stringify(["worker", "display_name", "asc", "Ann Secret", "x"]))
      for (const [asked, refused] of [
        [elsewhere, cursor],
        [{}, `${cursor.slice(0, -1)}${cursor.endsWith("A") ? "B" : "A"}`],
        [{}, plain],
        [{}, ""],
        [{ path: `${newerRoot}/applicants?cursor=${cursor}` }, ""]
      ] as const) {
        const { status, text } = yield* list(`&cursor=${refused}`, asked)
        assert.strictEqual(status, 400, text)
        assert.include(text, "cursor must be meta.nextCursor from a page of the same list with the same sort.")
      }
    })
  )
})
