import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { browser, codeOf, fromConsole, fromOurPage, origin, password, person, seedIn } from "./Browser.ts"
import * as Deployment from "./Deployment.ts"

const loggedIn = Effect.gen(function* () {
  const email = yield* person()
  const client = yield* browser
  const answer = yield* client.post("/login", { email, password })
  assert.strictEqual(answer.location, "/console")
  return { client, email }
})

layer(Deployment.layer(Deployment.services()), { excludeTestServices: true })("login pages without script", (it) => {
  it.effect("starts a session with a password, in an HttpOnly cookie of this host only", () =>
    Effect.gen(function* () {
      const { client } = yield* loggedIn
      const line = client.setCookies.find((cookie) => cookie.startsWith("__Host-wcs="))
      assert.match(line ?? "", /^__Host-wcs=[0-9A-Za-z]{43}; /)
      for (const attribute of ["Secure", "HttpOnly", "SameSite=Strict", "Path=/"]) assert.include(line, attribute)
      assert.notMatch(line ?? "", /Domain=|Max-Age=|Expires=/i)
    })
  )

  it.effect("answers a wrong password and an unknown email alike", () =>
    Effect.gen(function* () {
      const email = yield* person()
      const client = yield* browser
      const wrong = yield* client.post("/login", { email, password: "wrong horse battery staple" })
      const unknown = yield* client.post("/login", { email: "nobody@example.org", password })
      assert.strictEqual(wrong.status, 401)
      assert.strictEqual(wrong.text, unknown.text)
      assert.strictEqual(unknown.status, 401)
      assert.include(wrong.text, "The email or the password is wrong.")
      assert.strictEqual(client.jar.size, 0)
    })
  )

  it.effect("AUT-17: makes a Super Admin enrol an app and asks for its code from then on", () =>
    Effect.gen(function* () {
      const email = yield* person("Super Admin")
      const client = yield* browser
      assert.strictEqual((yield* client.post("/login", { email, password })).location, "/login/enrol")
      assert.isFalse(client.jar.has("__Host-wcs"))
      assert.strictEqual((yield* client.get("/account")).location, "/login", "a half login is no session")
      const page = yield* client.post("/login/enrol")
      const seed = seedIn(page.text)
      assert.include(page.text, "<svg")
      const again = yield* client.post("/login/confirm", { code: "12345x" })
      assert.strictEqual(again.status, 401)
      assert.notInclude(again.text, Redacted.value(seed), "the seed is shown once")
      const done = yield* client.post("/login/confirm", { code: yield* codeOf(seed) })
      assert.strictEqual(done.status, 200)
      assert.lengthOf(done.text.match(/<li><code>[a-z2-7]{4}(-[a-z2-7]{4}){3}<\/code>/g) ?? [], 10)
      assert.isTrue(client.jar.has("__Host-wcs"))
      assert.isFalse(client.jar.has("__Host-wcs-login"))
      const second = yield* browser
      assert.strictEqual((yield* second.post("/login", { email, password })).location, "/login/code")
      const [code = ""] = /[a-z2-7]{4}(-[a-z2-7]{4}){3}/.exec(done.text) ?? []
      assert.strictEqual((yield* second.post("/login/recovery", { code })).location, "/console")
      const proof = (yield* codeOf(seed, 1)).replace(/(?=...$)/, " ")
      assert.strictEqual((yield* second.post("/account/step-up", { code: proof })).location, "/account")
      assert.include((yield* second.get("/account")).text, email)
    })
  )

  it.effect("shows the user as escaped text and ends the session at logout", () =>
    Effect.gen(function* () {
      const { client, email } = yield* loggedIn
      const page = yield* client.get("/account")
      assert.include(page.text, email)
      assert.strictEqual(page.headers.get("cache-control"), "no-store")
      assert.include(page.headers.get("content-security-policy") ?? "", "default-src 'none'")
      assert.strictEqual(page.headers.get("x-frame-options"), "DENY")
      const token = client.jar.get("__Host-wcs") ?? ""
      assert.strictEqual((yield* client.post("/logout")).location, "/login")
      assert.isFalse(client.jar.has("__Host-wcs"))
      client.jar.set("__Host-wcs", token)
      assert.strictEqual((yield* client.get("/account")).location, "/login")
    })
  )

  it.effect("escapes the user agent in the list of sessions (threat 53)", () =>
    Effect.gen(function* () {
      const email = yield* person()
      const client = yield* browser
      const markup = "<img src=x onerror=alert(1)>"
      yield* client.post("/login", { email, password }, { ...fromOurPage, "user-agent": markup })
      const page = yield* client.get("/account")
      assert.notInclude(page.text, markup)
      assert.include(page.text, "&lt;img src=x")
    })
  )

  it.effect("keeps the sessions of servers on other ports of the host", () =>
    Effect.gen(function* () {
      const email = yield* person()
      const client = yield* browser
      const at = (host: string) => ({ ...fromOurPage, host, origin: `https://${host}` })
      for (const host of ["localhost", "localhost:8443", "localhost:9443"]) {
        yield* client.post("/login", { email, password }, at(host))
      }
      const sessions = ["__Host-wcs", "__Host-wcs-8443", "__Host-wcs-9443"]
      for (const name of sessions) assert.isTrue(client.jar.has(name), name)
      const statusAt = (host: string) =>
        Effect.map(client.get("/account", { ...at(host), "sec-fetch-site": "none" }), ({ status }) => status)
      yield* client.post("/logout", {}, at("localhost:8443"))
      const statuses = yield* Effect.forEach(
        ["localhost", "localhost:443", "localhost:8443", "localhost:9443"],
        statusAt
      )
      assert.deepStrictEqual(statuses, [200, 200, 303, 200])
    })
  )

  it.effect("ends all other sessions", () =>
    Effect.gen(function* () {
      const { client, email } = yield* loggedIn
      const other = yield* browser
      yield* other.post("/login", { email, password })
      assert.strictEqual((yield* other.get("/account")).status, 200)
      yield* client.post("/account/sessions/end")
      assert.strictEqual((yield* other.get("/account")).location, "/login")
      assert.strictEqual((yield* client.get("/account")).status, 200)
    })
  )

  it.effect("changes the session id at step-up and at a change of the password (threat 32)", () =>
    Effect.gen(function* () {
      const { client, email } = yield* loggedIn
      const first = client.jar.get("__Host-wcs") ?? ""
      yield* client.post("/account/step-up", { password })
      const second = client.jar.get("__Host-wcs") ?? ""
      assert.notStrictEqual(second, first)
      const next = "another horse battery staple"
      assert.strictEqual((yield* client.post("/account/password", { current: "wrong", next })).status, 401)
      assert.strictEqual((yield* client.post("/account/password", { current: password, next: "short" })).status, 400)
      assert.strictEqual((yield* client.post("/account/password", { current: password, next })).location, "/account")
      const third = client.jar.get("__Host-wcs") ?? ""
      assert.notStrictEqual(third, second)
      assert.strictEqual((yield* client.get("/account")).status, 200)
      for (const old of [first, second]) {
        client.jar.set("__Host-wcs", old)
        assert.strictEqual((yield* client.get("/account")).location, "/login")
      }
      const fresh = yield* browser
      assert.strictEqual((yield* fresh.post("/login", { email, password })).status, 401)
      assert.strictEqual((yield* fresh.post("/login", { email, password: next })).location, "/console")
    })
  )

  it.effect("answers JSON clients with JSON instead of pages", () =>
    Effect.gen(function* () {
      const email = yield* person()
      const client = yield* browser
      const headers = { ...fromOurPage, accept: "application/json", "content-type": "application/json" }
      const wrong = yield* client.send("POST", "/login", {
        headers,
        body: JSON.stringify({ email, password: "wrong" })
      })
      assert.deepStrictEqual(JSON.parse(wrong.text), { message: "The email or the password is wrong." })
      const right = yield* client.send("POST", "/login", { headers, body: JSON.stringify({ email, password }) })
      assert.deepStrictEqual(JSON.parse(right.text), { next: "done", recoveryCodes: [] })
      const broken = yield* client.send("POST", "/login", { headers, body: JSON.stringify({ email, password: 1 }) })
      assert.strictEqual(broken.status, 400)
    })
  )
})

/** Requests with the cookie that do not come from the console (threats 32 and 50). */
const foreign: ReadonlyArray<readonly [name: string, headers: Readonly<Record<string, string>>]> = [
  ["a sibling origin", { "sec-fetch-site": "same-site", "x-wcs-console": "1", origin: "https://other.localhost" }],
  ["another origin", { "sec-fetch-site": "cross-site", "x-wcs-console": "1", origin: "https://evil.example" }],
  ["a form of our own page, which sends no header of the console", { "sec-fetch-site": "same-origin", origin }],
  ["no fetch metadata", { "x-wcs-console": "1" }],
  ["our fetch metadata with a foreign origin", { ...fromConsole, origin: "https://evil.example" }],
  ["another port of our host", { ...fromConsole, origin: "https://localhost:444" }],
  ["plain HTTP of our host", { ...fromConsole, origin: "http://localhost" }],
  ["a null origin", { ...fromConsole, origin: "null" }],
  ["a navigation", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "x-wcs-console": "1" }]
]

layer(Deployment.layer(Deployment.services()), { excludeTestServices: true })(
  "a session as credentials of API calls",
  (it) => {
    const workers = "/openapi/v1/workers"
    const worker = { body: JSON.stringify({ identity: { displayName: "Ann Example" } }) }
    const json = { "content-type": "application/json" }

    it.effect("has the account's privileges on the newer surface", () =>
      Effect.gen(function* () {
        const { client } = yield* loggedIn
        assert.strictEqual((yield* client.get(workers, fromConsole)).status, 200)
        const made = yield* client.send("POST", workers, { headers: { ...fromConsole, ...json, origin }, ...worker })
        assert.strictEqual(made.status, 201)
        assert.strictEqual((yield* client.get("/openapi/v1/audit-events", fromConsole)).status, 403)
      })
    )

    it.effect.each(foreign)("threats 32, 50: refuses reads and writes by %s", ([, headers]) =>
      Effect.gen(function* () {
        const { client } = yield* loggedIn
        const written = yield* client.send("POST", workers, { headers: { ...headers, ...json }, ...worker })
        assert.strictEqual(written.status, 401)
        assert.strictEqual((yield* client.get(workers, headers)).status, 401)
      })
    )

    it.effect("refuses a write without an origin despite same-origin fetch metadata", () =>
      Effect.gen(function* () {
        const { client } = yield* loggedIn
        const written = yield* client.send("POST", workers, { headers: { ...fromConsole, ...json }, ...worker })
        assert.strictEqual(written.status, 401)
      })
    )

    it.effect("does not fall back to the cookie when the bearer token is invalid", () =>
      Effect.gen(function* () {
        const { client } = yield* loggedIn
        for (const authorization of ["Bearer wrong", "Basic wrong", "Bearer ", ""]) {
          assert.strictEqual((yield* client.get(workers, { ...fromConsole, authorization })).status, 401, authorization)
        }
      })
    )

    it.effect.each(foreign.filter(([, headers]) => headers["x-wcs-console"] !== undefined))(
      "threat 32: refuses logins and changes of logins by %s",
      ([, headers]) =>
        Effect.gen(function* () {
          const { client, email } = yield* loggedIn
          const { "x-wcs-console": _, ...others } = headers
          const form = { ...others, "content-type": "application/x-www-form-urlencoded" }
          assert.strictEqual((yield* client.post("/logout", {}, form)).status, 401)
          assert.strictEqual((yield* client.get("/account")).status, 200)
          const stranger = yield* browser
          assert.strictEqual((yield* stranger.post("/login", { email, password }, form)).status, 401)
          assert.strictEqual(stranger.jar.size, 0)
        })
    )
  }
)
