import { execFile } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
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

/** The folder in which two concurrent starts made a bundle, and their outputs. Making one takes seconds. */
let folder: string
let outputs: ReadonlyArray<string>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "wcs-bundles-"))
  const version = outputOf(start, ["--version"], { WCS_BUNDLES: folder })
  outputs = await Effect.runPromise(Effect.all([version, version], { concurrency: "unbounded" }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the bundle that a start keeps", () => {
  it("is made once, by the first of several starts, and runs the commands", () => {
    assert.deepStrictEqual(outputs, [told, told])
    const [name = "", ...others] = bundlesIn(folder)
    assert.isEmpty(others)
    assert.deepStrictEqual(readdirSync(folder).sort(), [name, "index.json"].sort())
    // A copied workspace must look at its own sources, not at those of the original.
    const { states } = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"))
    assert.include(Object.keys(states), "apps/wcs/src/main.ts")
  })

  it.live("is run by the next start, which makes none", () =>
    Effect.gen(function* () {
      const copy = join(yield* temporaryDirectory, "bundles")
      cpSync(folder, copy, { recursive: true })
      for (const name of bundlesIn(copy)) writeFileSync(join(copy, name, "main.js"), 'console.log("kept")\n')
      assert.strictEqual(yield* outputOf(start, ["--version"], { WCS_BUNDLES: copy }), "kept\n")
    })
  )

  it.live("is chosen anew when a source has changed, and all but the latest three are removed", () =>
    Effect.gen(function* () {
      for (const name of ["a", "b", "c", "d"]) mkdirSync(join(folder, name.repeat(32)))
      mkdirSync(join(folder, "making-now"))
      const index = join(folder, "index.json")
      writeFileSync(index, JSON.stringify({ name: "a".repeat(32), states: { "apps/wcs/start.mjs": "another state" } }))
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
})
