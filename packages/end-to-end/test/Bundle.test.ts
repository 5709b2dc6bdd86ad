import { execFile, spawn } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { version } from "@wcs/deployment/Version"
import { complaintAbout } from "@wcs/wcs/bundle/NodeVersion"
import { Effect } from "effect"
import { temporaryDirectory } from "./Process.ts"

const run = promisify(execFile)
const app = fileURLToPath(new URL("../../../apps/wcs", import.meta.url))
const start = join(app, "start.mjs")
const { HOME = "", PATH = "" } = process.env

/** Runs a program and returns its standard output. */
const outputOf = (program: string, args: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) =>
  Effect.promise(
    async () => (await run(process.execPath, [program, ...args], { env: { PATH, HOME, ...environment } })).stdout
  )

/** The output of `--version`. */
const told = `wcs v${version}\n`

const bundlesIn = (folder: string) => readdirSync(folder).filter((name) => /^[0-9a-f]{32}$/.test(name))

/** The first line that a server prints: its description. The server ends with the test. */
const serving = Effect.fnUntraced(function* (program: string, data: string) {
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [program, "serve", "--json"], {
        env: {
          PATH,
          HOME,
          WCS_DATA: data,
          WCS_PORT: "0",
          WCS_ADMIN_PORT: "0",
          WCS_TLS: "proxy",
          WCS_TRUSTED_PROXIES: "127.0.0.1,::1"
        },
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  return yield* Effect.callback<{ readonly port: number }>((resume) => {
    let text = ""
    server.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      if (text.endsWith("\n")) resume(Effect.succeed(JSON.parse(text)))
    })
    server.once("close", (code) => resume(Effect.die(new Error(`the server ended with ${code}`))))
  })
})

describe("the bundle that a start keeps", () => {
  it.live("is made once, by the first of several starts, and runs the commands", () =>
    Effect.gen(function* () {
      const folder = join(yield* temporaryDirectory, "bundles")
      const version = outputOf(start, ["--version"], { WCS_BUNDLES: folder })
      const both = yield* Effect.all([version, version], { concurrency: "unbounded" })
      assert.deepStrictEqual(both, [told, told])
      const [name = "", ...others] = bundlesIn(folder)
      assert.isEmpty(others)
      assert.deepStrictEqual(readdirSync(folder).sort(), [name, "index.json"].sort())
      // The next start runs the kept bundle and makes none.
      writeFileSync(join(folder, name, "main.js"), 'console.log("kept")\n')
      assert.strictEqual(yield* version, "kept\n")
    })
  )

  it.live("is replaced when a source has changed, and all but the latest three are removed", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      for (const name of ["a", "b", "c", "d"]) mkdirSync(join(folder, name.repeat(32)))
      mkdirSync(join(folder, "making-now"))
      const index = join(folder, "index.json")
      writeFileSync(index, JSON.stringify({ name: "a".repeat(32), states: { [start]: "another state" } }))
      assert.strictEqual(yield* outputOf(start, ["--version"], { WCS_BUNDLES: folder }), told)
      const { name }: { readonly name: string } = JSON.parse(readFileSync(index, "utf8"))
      assert.lengthOf(bundlesIn(folder), 3)
      assert.include(bundlesIn(folder), name)
      assert.include(readdirSync(folder), "making-now") // of a process that may still run
    })
  )

  it.live("is not needed: the sources run when no bundle can be kept", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryDirectory, "file")
      writeFileSync(file, "")
      chmodSync(file, 0o400)
      assert.strictEqual(yield* outputOf(start, ["--version"], { WCS_BUNDLES: join(file, "bundles") }), told)
    })
  )
})

describe("the packed command line", () => {
  it("names the oldest Node that it needs, which is that of the repository", () => {
    const { engines } = JSON.parse(readFileSync(join(app, "../../package.json"), "utf8"))
    const oldest = engines.node.replace(">=", "")
    assert.strictEqual(complaintAbout("24.6.9"), `Node ${oldest} or later is needed; this is 24.6.9`)
    assert.strictEqual(complaintAbout("20.20.2"), `Node ${oldest} or later is needed; this is 20.20.2`)
    for (const version of [`${oldest}.0`, "24.21.0", "25.0.0"]) assert.isUndefined(complaintAbout(version))
  })

  it.live(
    "needs no other file: it serves the API, the documents and the console, and stack traces name the sources",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const folder = join(directory, "packed")
        yield* outputOf(join(app, "src/bundle/pack.ts"), [folder])
        const main = join(folder, "main.js")
        const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
        assert.deepInclude(manifest, { name: "wcs", version, license: "Apache-2.0", bin: { wcs: "main.js" } })
        const licences = readFileSync(join(folder, "THIRD-PARTY-LICENSES"), "utf8")
        const bill = JSON.parse(readFileSync(join(folder, "sbom.cdx.json"), "utf8"))
        assert.strictEqual(bill.metadata.component["bom-ref"], `pkg:npm/wcs@${version}`)
        const refs: ReadonlyArray<string> = bill.components.map(
          (component: { "bom-ref": string }) => component["bom-ref"]
        )
        for (const name of ["effect", "undici", "jose", "xml-crypto", "preact"]) {
          assert.match(licences, new RegExp(`^${name} \\d`, "m"))
          assert.isTrue(
            refs.some((ref) => ref.startsWith(`pkg:npm/${name}@`)),
            name
          )
        }
        assert.notInclude(refs.join("\n"), "esbuild")
        assert.strictEqual(yield* outputOf(main, ["--version"]), told)
        assert.strictEqual(yield* outputOf(main, ["--version", "--json"]), told) // by the program
        assert.include(readFileSync(join(folder, "LICENSE"), "utf8"), "Apache License")

        const data = join(directory, "data")
        const { port } = yield* serving(main, data)
        // the packed program sets its own umask: nothing sets one before it
        assert.strictEqual(statSync(join(data, "wcs.sqlite")).mode & 0o777, 0o600)
        const get = (path: string) =>
          Effect.promise(async () => {
            const response = await fetch(`http://localhost:${port}${path}`, {
              headers: { "x-forwarded-proto": "https" }
            })
            return { status: response.status, text: await response.text() }
          })
        assert.strictEqual((yield* get("/api/users/me")).status, 401)
        assert.strictEqual((yield* get("/docs")).status, 200)
        const page = yield* get("/console")
        const [script = ""] = /\/console\/assets\/[\w.-]+\.js/.exec(page.text) ?? []
        assert.strictEqual((yield* get(script)).status, 200)

        const tracing = join(directory, "tracing.mjs")
        writeFileSync(
          tracing,
          "const { exit } = process\nprocess.exit = () => exit(console.log(new Error().stack) ?? 0)\n"
        )
        const trace = yield* outputOf(main, ["no-command"], { NODE_OPTIONS: `--import ${tracing}` })
        assert.match(trace, /\/apps\/wcs\/src\/Program\.ts:\d+:\d+/)
      })
  )
})
