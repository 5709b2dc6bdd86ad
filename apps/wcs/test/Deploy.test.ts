import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { documentation, make } from "@wcs/deployment/Settings"
import { usualImage } from "@wcs/store-suite/postgres/TestPostgres"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { parse } from "yaml"

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

interface Service {
  readonly image: string
  readonly build?: { readonly dockerfile: string }
  readonly command?: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
  readonly secrets?: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<string>
}

const composeText = read("deploy/compose.yaml")
const compose: {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
} = parse(composeText, { merge: true })

/** The services that run this program. */
const ours = Object.values(compose.services).filter(({ build }) => build !== undefined)

/** The lines of the Dockerfile, with continuations joined. */
const dockerfile = read("deploy/Dockerfile").replaceAll("\\\n", "").split("\n")

/** Returns the arguments of each use of an instruction. */
const given = (instruction: string): ReadonlyArray<string> =>
  dockerfile.flatMap((line) => (line.startsWith(`${instruction} `) ? [line.slice(instruction.length + 1)] : []))

/** A version of at least two numbers, with the system. */
const pinned = /^(node:24\.\d+\.\d+|postgres:\d+\.\d+)(-[a-z-]+)?$/

/** Substitutes variables like compose. Fails for a missing variable without default. */
const filledIn = (environment: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{\w+:\?[^}]*\}/g, "secret")])
  )

describe("the deployment example", () => {
  it("has two servers and two workers, which start after the migration", () => {
    assert.sameMembers(
      ours.map(({ command }) => command?.join(" ")),
      ["migrate", "serve", "serve", "worker", "worker"]
    )
    const published = ours.flatMap(({ ports = [] }) => ports)
    assert.lengthOf(new Set(published), 2)
    for (const port of published) assert.match(port, /:8443$/) // never the admin port
  })

  it.effect("uses valid settings with a shared database and master key", () =>
    Effect.gen(function* () {
      const names = documentation.map(({ name }) => name)
      for (const { environment, secrets = [] } of ours) {
        for (const name of Object.keys(environment)) assert.include(names, name)
        const settings = yield* Effect.provide(
          make,
          ConfigProvider.layer(ConfigProvider.fromUnknown(filledIn(environment)))
        )
        const { url } = Option.getOrThrow(settings.database)
        assert.property(compose.services, new URL(Redacted.value(url)).hostname)
        assert.isFalse(settings.isWorkerInside)
        assert.deepStrictEqual(
          secrets.map((name) => `/run/secrets/${name}`),
          Option.toArray(settings.masterKeyFile)
        )
        for (const name of secrets) assert.property(compose.secrets, name)
      }
    })
  )

  it("has no password or default password, and keeps the key out of the repository and the image", () => {
    const password = "${WCS_DATABASE_PASSWORD:?must be given}"
    assert.strictEqual(compose.services["database"]?.environment["POSTGRES_PASSWORD"], password)
    for (const { environment } of ours) assert.include(environment["DATABASE_URL"], `//wcs:${password}@`)
    assert.notMatch(composeText, /\$\{\w+:?[-+]|\$\{\w+\}/)
    assert.deepStrictEqual(compose.secrets, { master_key: { file: "./master.key" } })
    assert.include(read("../../.gitignore"), "\n/apps/wcs/deploy/master.key\n")
    const ignored = read("../../.dockerignore").split("\n")
    assert.isAbove(ignored.indexOf("apps/wcs/deploy"), ignored.indexOf("!apps")) // the last match counts
    assert.include(ignored, "*")
  })

  it("pins the version of each image and builds with the locked tools", () => {
    const [base = "", ...others] = given("ARG").flatMap((line) => (line.startsWith("BASE=") ? [line.slice(5)] : []))
    assert.match(base, pinned)
    assert.isEmpty(others)
    for (const from of given("FROM")) assert.match(from, /^\$\{BASE\}( AS \w+)?$/)
    assert.match(usualImage, pinned)
    assert.strictEqual(compose.services["database"]?.image, usualImage)
    // run.mjs fetches pnpm by the checksums of its lock file
    assert.match(given("RUN")[0] ?? "", /^node \.dev\/run\.mjs --serving /)
    assert.include(read("../../.dockerignore").split("\n"), "!.dev/bootstrap")
    assert.strictEqual(compose.services["migrate"]?.build?.dockerfile, "apps/wcs/deploy/Dockerfile")
  })

  it("runs the bundled command line as an unprivileged user", () => {
    assert.deepStrictEqual(given("USER"), ["1000:1000"])
    assert.include(given("RUN").join("\n"), "node apps/wcs/src/bundle/pack.ts /image/wcs ")
    assert.deepStrictEqual(given("ENTRYPOINT"), ['["node", "main.js"]'])
    assert.isNotEmpty(read("src/bundle/pack.ts"))
  })

  it.live("checks its health with /readyz on the admin port", () =>
    Effect.gen(function* () {
      const [check = ""] = given("HEALTHCHECK").map((line) => line.slice(line.indexOf("CMD ") + 4))
      const [, ...args]: ReadonlyArray<string> = JSON.parse(check)
      let status = 200
      const asked: Array<string | undefined> = []
      const server = createServer((request, response) => {
        asked.push(request.url)
        response.writeHead(status).end()
      })
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
        () => Effect.sync(() => server.close().closeAllConnections())
      )
      const env = { WCS_ADMIN_PORT: String((server.address() as AddressInfo).port) }
      const exitCode = Effect.promise(
        () =>
          new Promise<unknown>((resolve) => {
            execFile(process.execPath, args, { env }, (error) => resolve(error?.code ?? 0))
          })
      )
      assert.strictEqual(yield* exitCode, 0)
      status = 503
      assert.strictEqual(yield* exitCode, 1)
      server.close().closeAllConnections()
      assert.strictEqual(yield* exitCode, 1)
      assert.deepStrictEqual(asked, ["/readyz", "/readyz"])
    })
  )
})
