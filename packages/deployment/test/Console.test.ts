import { gzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { bundle, downloads } from "@wcs/deployment/ConsoleBundle"
import { Effect } from "effect"
import { describe, it } from "vitest"
import { Service } from "./Service.ts"
import { layerService } from "./TestService.ts"

const page = (path: string) =>
  Service.use(({ call }) => call({ method: "GET", path, token: null, headers: { "accept-encoding": "identity" } }))

const assetsIn = (text: string) => [...text.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([path]) => path)

const importedIn = (script: string) => [...script.matchAll(/"\.\/([\w.-]+\.js)"/g)].map(([, name]) => name)

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
      const paths = new Set(assetsIn((yield* page("/console")).text))
      for (const path of paths) {
        const plain = yield* page(path)
        for (const name of importedIn(plain.text)) paths.add(`/console/assets/${name}`)
        assert.strictEqual(plain.status, 200)
        assert.strictEqual(plain.headers["cache-control"], "public, max-age=31536000, immutable")
        assert.strictEqual(plain.headers["vary"], "accept-encoding")
        const small = yield* call({ method: "GET", path, token: null, headers: { "accept-encoding": "gzip, br" } })
        assert.strictEqual(small.headers["content-encoding"], "br")
        assert.isUndefined(plain.headers["content-encoding"])
      }
      assert.isAbove(paths.size, 25)
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
  it("loads at most 45 kB of script as gzip in at most 8 files for each screen", async () => {
    const made = await bundle()
    const tooLarge = [...downloads(made)].filter(([, bytes]) => bytes > 45_000)
    assert.deepStrictEqual(tooLarge, [])
    const tooMany = [...made.scripts].filter(([, names]) => names.size > 8)
    assert.deepStrictEqual(tooMany, [])
    assert.isAtLeast(made.scripts.size, 24)
  })

  it("has a style of at most 10 kB as gzip, and contains neither Effect nor the contract", async () => {
    const { files, page } = await bundle()
    assert.isAtMost(gzipSync(files.get(page.style) ?? "").length, 10_000)
    for (const bytes of files.values()) assert.notMatch(Buffer.from(bytes).toString(), /~effect\/|HttpApiEndpoint/)
  })
})
