import { assert, layer } from "@effect/vitest"
import type { Role } from "@wcs/domain/access/Privilege"
import { Administration } from "@wcs/domain/token/Administration"
import { Effect } from "effect"
import { browser, codeOf, fromConsole, fromOurPage, newEmail, origin, password, person, seedIn } from "./Browser.ts"
import * as Deployment from "./Deployment.ts"

/** A browser with a fresh login of a Super Admin. */
const superAdmin = Effect.gen(function* () {
  const email = yield* person("Super Admin")
  const client = yield* browser
  yield* client.post("/login", { email, password })
  const seed = seedIn((yield* client.post("/login/enrol")).text)
  assert.strictEqual((yield* client.post("/login/confirm", { code: yield* codeOf(seed) })).status, 200)
  return client
})

/** The path of a new invite link, and the email of its user. */
const invite = Effect.fnUntraced(function* (role: Role) {
  const admin = yield* superAdmin
  const email = newEmail()
  const headers = { ...fromConsole, origin, "content-type": "application/json" }
  const sent = { headers, body: JSON.stringify({ email, role }) }
  const made = yield* admin.send("POST", "/openapi/v1/users", sent)
  assert.strictEqual(made.status, 201, made.text)
  const { data } = JSON.parse(made.text)
  assert.match(data.inviteUrl, /^https:\/\/localhost\/invite\/[0-9A-Za-z]{43}$/)
  return { email, path: new URL(data.inviteUrl).pathname }
})

layer(Deployment.layer(Deployment.services()), { excludeTestServices: true })("the page of an invite link", (it) => {
  it.effect("sets the password once, and logs the user in", () =>
    Effect.gen(function* () {
      const { email, path } = yield* invite("Viewer")
      const client = yield* browser
      for (let count = 0; count < 3; count++) {
        const page = yield* client.get(path)
        assert.strictEqual(page.status, 200, "opening the page does not use the link")
        assert.include(page.text, email)
        assert.strictEqual(page.headers.get("cache-control"), "no-store")
      }
      const short = yield* client.post(path, { password: "short" })
      assert.strictEqual(short.status, 400)
      assert.include(short.text, email)
      const done = yield* client.post(path, { password })
      assert.strictEqual(done.location, "/console")
      const account = (yield* client.get("/account")).text
      assert.include(account, email)
      assert.match(account, /Your last invite link was made by\s<strong>[^<]+@example\.org<\/strong>/)
      const again = yield* browser
      assert.strictEqual((yield* again.get(path)).status, 404)
      assert.strictEqual((yield* again.post(path, { password: "another horse battery staple" })).status, 404)
      assert.strictEqual((yield* again.post("/login", { email, password })).location, "/console")
    })
  )

  it.effect("AUT-17: continues with the enrolment of an app when the role or the password requires one", () =>
    Effect.gen(function* () {
      for (const [role, chosen] of [
        ["Super Admin", password],
        ["Viewer", "ten letters"]
      ] as const) {
        const { path } = yield* invite(role)
        const client = yield* browser
        assert.strictEqual((yield* client.post(path, { password: chosen })).location, "/login/enrol")
        assert.isFalse(client.jar.has("__Host-wcs"), "a half login is no session")
        const seed = seedIn((yield* client.post("/login/enrol")).text)
        yield* client.post("/login/confirm", { code: yield* codeOf(seed) })
        assert.strictEqual((yield* client.get("/account")).status, 200)
      }
    })
  )

  it.effect("shows the same page for used, malformed and foreign links", () =>
    Effect.gen(function* () {
      yield* Administration.use((admin) =>
        Effect.ignore(admin.createTenant("second", ["second.localhost"], Deployment.operator))
      )
      const used = yield* invite("Viewer")
      yield* (yield* browser).post(used.path, { password })
      const foreign = yield* invite("Viewer")
      const client = yield* browser
      const elsewhere = { ...fromOurPage, host: "second.localhost", origin: "https://second.localhost" }
      const pages: Array<string> = []
      for (const path of [used.path, "/invite/nonsense", `/invite/${"0".repeat(43)}`]) {
        for (const answer of [yield* client.get(path), yield* client.post(path, { password })]) {
          assert.strictEqual(answer.status, 404, path)
          pages.push(answer.text)
        }
      }
      for (const answer of [
        yield* client.get(foreign.path, { "sec-fetch-site": "none", host: "second.localhost" }),
        yield* client.post(foreign.path, { password }, elsewhere)
      ]) {
        assert.strictEqual(answer.status, 404, "another tenant's host")
        pages.push(answer.text)
      }
      assert.strictEqual(new Set(pages).size, 1)
      assert.strictEqual(client.jar.size, 0)
      assert.strictEqual((yield* client.get(foreign.path)).status, 200, "the control")
    })
  )

  it.effect("threat 32: refuses a form from another origin", () =>
    Effect.gen(function* () {
      const { path } = yield* invite("Viewer")
      const client = yield* browser
      const cross = { ...fromOurPage, origin: "https://evil.example", "sec-fetch-site": "cross-site" }
      assert.strictEqual((yield* client.post(path, { password }, cross)).status, 401)
      assert.strictEqual((yield* client.get(path)).status, 200)
    })
  )
})
