import { gzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { bundle } from "@wcs/deployment/ConsoleBundle"
import { Effect } from "effect"
import { describe, it } from "vitest"
import { Service } from "./Service.ts"
import { layerService } from "./TestService.ts"

const page = (path: string) =>
  Service.use(({ call }) => call({ method: "GET", path, token: null, headers: { "accept-encoding": "identity" } }))

const assetsIn = (text: string) => [...text.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([path]) => path)

layer(layerService(), { excludeTestServices: true })("the web console", (it) => {
  it.effect("serves one page without data for every screen, with a security policy that forbids inline scripts", () =>
    Effect.gen(function* () {
      const first = yield* page("/console")
      assert.strictEqual(first.status, 200)
      assert.strictEqual(first.headers["x-frame-options"], "DENY")
      const { "cache-control": cache, "content-security-policy": policy } = first.headers
      assert.deepStrictEqual([cache, first.headers["content-type"]], ["no-store", "text/html; charset=utf-8"])
      for (const directive of [
        ...[
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "connect-src 'self'",
          "img-src 'self' data:"
        ],
        ...["form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"],
        ...["require-trusted-types-for 'script'", "trusted-types 'none'"]
      ]) {
        assert.include(policy, directive)
      }
      assert.notMatch(first.text, /<script(?! type="module" src=)|<style|style=|onload=/)
      assert.strictEqual((yield* page("/console/workers/anything?query=a")).text, first.text)
    })
  )

  it.effect("leads browsers there from the root, and answers other clients as at an unknown path", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const rootFor = (accept: string, method = "GET") =>
        Effect.map(call({ method, path: "/", token: null, headers: { accept } }), ({ headers, status }) => [
          status,
          headers["location"] ?? headers["content-type"]
        ])
      assert.deepStrictEqual(yield* rootFor("text/html,application/xhtml+xml,*/*;q=0.8"), [303, "/console"])
      for (const accept of ["application/json", "*/*"]) {
        assert.deepStrictEqual(yield* rootFor(accept), [404, "application/json"])
      }
      assert.deepStrictEqual(yield* rootFor("text/html", "POST"), [404, "application/json"])
    })
  )

  it.effect("serves its files as immutable, and compressed if the browser accepts compression", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const paths = assetsIn((yield* page("/console")).text)
      assert.lengthOf(paths, 2)
      for (const path of paths) {
        const plain = yield* page(path)
        assert.strictEqual(plain.status, 200)
        assert.strictEqual(plain.headers["cache-control"], "public, max-age=31536000, immutable")
        assert.strictEqual(plain.headers["vary"], "accept-encoding")
        const small = yield* call({ method: "GET", path, token: null, headers: { "accept-encoding": "gzip, br" } })
        assert.strictEqual(small.headers["content-encoding"], "br")
        assert.isUndefined(plain.headers["content-encoding"])
      }
    })
  )

  it.effect("has no other files, and allows GET only", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const name of ["console-0000000000000000.js", "..%2fmain.ts", "console.js"]) {
        assert.strictEqual((yield* page(`/console/assets/${name}`)).status, 404, name)
      }
      const posted = yield* call({ method: "POST", path: "/console/workers", token: null, body: {} })
      assert.strictEqual(posted.status, 405)
      assert.strictEqual(posted.headers["allow"], "GET, HEAD")
    })
  )
})

describe("the bundle", () => {
  it("is at most 60 kB as gzip, and contains neither Effect nor the contract", async () => {
    const { script, style } = await bundle()
    const bytes = gzipSync(script).length + gzipSync(style).length
    assert.isAtMost(bytes, 60_000)
    const text = Buffer.from(script).toString()
    assert.notInclude(text, "~effect/")
    assert.notInclude(text, "HttpApiEndpoint")
  })
})
