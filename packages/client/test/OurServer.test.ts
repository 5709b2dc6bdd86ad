import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import * as Conditional from "@wcs/client/Conditional"
import * as Following from "@wcs/client/Following"
import * as LegacyClient from "@wcs/client/LegacyClient"
import * as NewerClient from "@wcs/client/NewerClient"
import { ConfigProvider, Effect, Redacted, Stream } from "effect"
import { hire } from "./Example.ts"
import * as Ours from "./OurDeployment.ts"

const { OurDeployment, Watched } = Ours

const connected = Effect.flatMap(OurDeployment, ({ access, baseUrl }) => NewerClient.make({ baseUrl, access }))

layer(Ours.layer, { excludeTestServices: true })("over our own server", (it) => {
  it.effect("OAU-21, WRK-15: creates a worker and finds it by its external id", () =>
    Effect.gen(function* () {
      const { workers } = yield* connected
      const payload = { identity: { displayName: "Ann Example" }, source: { externalId: "hr-1" } }
      const { body, headers } = yield* workers.create({ payload })
      assert.deepStrictEqual(headers.location, `/openapi/v1/workers/${body.data.id}`)
      const found = yield* workers.list({ query: { externalId: "hr-1" } })
      assert.deepStrictEqual(found.data, [body.data])
      yield* workers.patch({ params: { id: body.data.id }, payload: { identity: { firstName: "Ann" } } })
      const replaced = yield* workers.replace({ params: { id: body.data.id }, payload })
      assert.deepStrictEqual(replaced.data.identity, payload.identity)
      yield* workers.remove({ params: { id: body.data.id } })
      yield* workers.remove({ params: { id: body.data.id } })
      const gone = yield* Effect.flip(workers.read({ params: { id: body.data.id }, query: {} }))
      assert.deepInclude(gone, { _tag: "Refused", status: 404, code: "NOT_FOUND" })
      assert.match(gone._tag === "Refused" ? String(gone.requestId) : "", /^[0-9A-Z]{26}$/)
    })
  )
  it.effect("changes a worker under its ETag, and is refused with the tag of an earlier state", () =>
    Effect.gen(function* () {
      const { workers } = yield* connected
      const made = yield* Conditional.tagged(
        workers.create({ payload: { identity: { displayName: "Ann Example" }, source: { externalId: "hr-9" } } })
      )
      const params = { id: made.result.body.data.id }
      const read = yield* Conditional.tagged(workers.read({ params, query: {} }))
      assert.match(read.tag ?? "", /^"1-/)
      assert.strictEqual(made.tag, read.tag)
      const promoting = (jobTitle: string) =>
        workers.patch({ params, payload: { employment: { jobTitle } } }).pipe(Conditional.ifMatch(read.tag ?? ""))
      const { result, tag } = yield* Conditional.tagged(promoting("Nurse"))
      assert.strictEqual(result.data.employment?.jobTitle, "Nurse")
      assert.notStrictEqual(tag, read.tag)
      assert.deepInclude(yield* Effect.flip(promoting("Doctor")), { status: 412, code: "PRECONDITION_FAILED" })
      assert.isUndefined((yield* Conditional.tagged(workers.list({ query: {} }))).tag)
    })
  )
  it.effect("follows the changes to the present, and from a stored position", () =>
    Effect.gen(function* () {
      const { changes, workers } = yield* connected
      const { meta } = yield* changes.list({ query: { after: "now" } })
      const toPresent = (after: string) =>
        Following.pages(changes.list, { after, pageSize: "2" }, 0).pipe(
          Stream.takeUntil((page) => !page.meta.hasMore),
          Stream.runCollect
        )
      const names = ["Ed", "Flo", "Gus"]
      const made = yield* Effect.forEach(names, (displayName) =>
        workers.create({ payload: { identity: { displayName }, source: { externalId: displayName } } })
      )
      const pages = yield* toPresent(meta.position)
      assert.deepStrictEqual(
        pages.map(({ data }) => data.map(({ entityId }) => entityId)),
        [made.slice(0, 2), made.slice(2)].map((some) => some.map(({ body }) => body.data.id))
      )
      const [nothing] = yield* toPresent(pages.at(-1)?.meta.position ?? "")
      assert.deepStrictEqual(nothing?.data, [])
      const lost = yield* Effect.flip(changes.list({ query: { after: "v1.lost" } }))
      assert.deepInclude(lost, { _tag: "Refused", status: 410, code: "POSITION_UNKNOWN" })
    })
  )
  it.effect("LEG-23, LEG-25: logs in once on the legacy surface, and again after its tokens were revoked", () =>
    Effect.gen(function* () {
      const { baseUrl, endTokens, legacy } = yield* OurDeployment
      const client = yield* LegacyClient.make({ baseUrl, ...legacy })
      const watched = yield* Watched
      watched.length = 0
      const { id, is_verified } = yield* client.me()
      assert.isTrue(is_verified)
      assert.strictEqual((yield* client.constituents({ query: {} })).page, 1)
      yield* endTokens
      yield* client.organization()
      assert.deepStrictEqual(watched, [
        ["GET /api/users/me", "Basic"],
        [`POST /api/users/${id}/token`, "Basic"],
        ["GET /api/users/me", "Bearer"],
        ["GET /api/constituents", "Bearer"],
        ["GET /api/organizations/me", "Bearer"],
        [`POST /api/users/${id}/token`, "Basic"],
        ["GET /api/organizations/me", "Bearer"]
      ])
    })
  )
  it.effect("ENV-19: runs the example of the README, which hires and reports the owner after a conflict", () =>
    Effect.gen(function* () {
      const { access, baseUrl } = yield* OurDeployment
      const provider = ConfigProvider.fromUnknown({
        WCS_URL: baseUrl,
        WCS_CLIENT_ID: access.clientId,
        WCS_CLIENT_SECRET: Redacted.value(access.clientSecret)
      })
      const told = yield* Effect.provideService(hire, ConfigProvider.ConfigProvider, provider)
      assert.match(told, /^done, and then: held by wkr_\w{16}$/)
    })
  )
  it.effect("prints the tested example in the README", () =>
    Effect.sync(() => {
      const [, printed] =
        /^```ts\n(.*?)^```$/ms.exec(readFileSync(new URL("../README.md", import.meta.url), "utf8")) ?? []
      assert.strictEqual(printed, readFileSync(new URL("Example.ts", import.meta.url), "utf8"))
    })
  )
})
