import { assert, describe, it, layer } from "@effect/vitest"
import { newerRoot } from "@wcs/api/NewerSurface"
import { pathMatching, pathOf, urlForRouter } from "@wcs/http/pipeline/PathMatching"
import { Effect } from "effect"
import { FindMyWay } from "effect/http"
import fc from "fast-check"
import * as Deployment from "../Deployment.ts"

const workers = `${newerRoot}/workers`
const worker = `${workers}/wkr_0000000000000000`

/** Escapes some letters of a text. */
const spelt = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(...Array.from(text, (letter) => fc.constantFrom(letter, letter, escaped(letter))))
    .map((letters) => letters.join(""))

const escaped = (letter: string): string => (letter === "/" ? letter : `%${letter.charCodeAt(0).toString(16)}`)

describe("the path of a URL", () => {
  const paths: ReadonlyArray<readonly [url: string, path: string]> = [
    [workers, workers],
    [`${workers}?a=/b?c`, workers],
    [`${newerRoot}/%77orker%73?%77`, workers],
    ["/%6F%6f/%2D%2e%5f%7E%30", "/oo/-._~0"],
    // Necessary and invalid escapes stay. Nothing is decoded twice.
    ["/a%2fb%3B%3f%25%00%0a%c3%a9", "/a%2fb%3B%3f%25%00%0a%c3%a9"],
    ["/%2577orkers/%7/%zz/%", "/%2577orkers/%7/%zz/%"],
    ["/workers;a=1#b", "/workers;a=1#b"]
  ]
  it.each(paths)("of %s is %s", (url, path) => {
    assert.strictEqual(pathOf(url), path)
  })

  it("equals the path that the router matches, and only ? starts the query", () => {
    const router = FindMyWay.make<string>(pathMatching)
    router.on("GET", "/openapi/v1/workers", "workers")
    const rest = fc.array(fc.constantFrom("/", "%2f", ";", "%3b", "#", "%23", "?", "=", "&", "a", "%61", "%zz", "%"), {
      maxLength: 4
    })
    const found = { yes: 0, no: 0 }
    fc.assert(
      fc.property(spelt(workers), rest, (path, parts) => {
        const url = path + parts.join("")
        const isFound = router.find("GET", urlForRouter(url)) !== undefined
        assert.strictEqual(isFound, /^\/openapi\/v1\/workers\/?$/.test(pathOf(url)), url)
        found[isFound ? "yes" : "no"]++
      }),
      { numRuns: 500 }
    )
    assert.isAbove(found.yes, 50)
    assert.isAbove(found.no, 50)
  })

  it("is unchanged for the router without a character that could start a query", () => {
    for (const url of [workers, `${workers}?a=1;b=2#c`, `${newerRoot}/%77orkers`]) {
      assert.strictEqual(urlForRouter(url), url)
    }
    assert.strictEqual(urlForRouter("/a;b#c;?d;e#f"), "/a%3Bb%23c%3B?d;e#f")
  })
})

layer(Deployment.layer(Deployment.services()), { excludeTestServices: true })("a route", (it) => {
  it.effect("AUT-01: hides its methods from callers without a token, for every spelling of its path", () =>
    Effect.gen(function* () {
      for (const path of [workers, workers.replace("open", "%6fpen"), "/openapi/v%31/nonsense", `${workers};a=1`]) {
        for (const method of ["GET", "DELETE"]) {
          const answer = yield* Deployment.call({ method, path })
          assert.strictEqual(answer.status, 401, `${method} ${path}`)
          assert.deepStrictEqual(answer.json, { message: "Unauthorized to perform this action" })
        }
      }
    })
  )

  it.effect("ENV-02, ENV-08: treats ; and # as part of the path: 404 for an unknown path, 400 for an id", () =>
    Effect.gen(function* () {
      const { tokenOf } = yield* Deployment.Settled
      const token = yield* tokenOf("Super Admin")
      const answers = [
        [`${workers}?pageSize=1`, 200],
        [`${workers};pageSize=1`, 404],
        [`${workers};`, 404],
        [`${workers};?pageSize=1`, 404],
        [`${workers}/?externalId=a;b`, 200],
        [`${worker};includeDeleted=true`, 400],
        [`${worker};`, 400],
        [`${workers}/;`, 400],
        ["/openapi.json", 200],
        ["/openapi.json;a", 404]
      ] as const
      for (const [path, status] of answers) {
        const answer = yield* Deployment.call({ path, token })
        assert.strictEqual(answer.status, status, path)
        assert.match(answer.headers["x-request-id"] ?? "", /^[0-9A-Z]{26}$/, path)
        if (path.startsWith(newerRoot)) assert.property(answer.headers, "x-ratelimit-limit", path)
        if (status === 400) assert.include(answer.text, '"message":"id must be ', path)
      }
      const headers = { "content-type": "application/json" }
      const owner = { method: "POST", token, headers, body: '{"type":"worker","id":"wkr_0000000000000000"}' }
      const path = `${newerRoot}/credentials/cred_0000000000000000;a/link`
      assert.strictEqual((yield* Deployment.call({ ...owner, path })).status, 400)
      assert.strictEqual((yield* Deployment.call({ ...owner, path: path.replace(";a", "") })).status, 404)
    })
  )
})
