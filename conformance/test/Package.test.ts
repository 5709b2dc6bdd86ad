import { execFile, execFileSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { registerHooks } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { suiteVersion } from "@wcs/conformance/release/SuiteVersion"
import { parse } from "yaml"
import { constant, serving } from "./servers/GarbageServers.ts"

const own = fileURLToPath(new URL("..", import.meta.url))
const read = (file: string) => readFileSync(join(own, file), "utf8")
const tools = `${join(own, "../node_modules/.bin")}:${process.env["PATH"]}`

/** An empty project with the packed package installed, and no other package. */
let project: string
const installed = () => join(project, "node_modules/@wcs/conformance")

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "conformance-package-"))
  const env = { ...process.env, PATH: tools }
  const pack = [join(own, "../.dev/pack/main.ts"), "--out", project, "conformance"]
  const filename = execFileSync(process.execPath, pack, { env, encoding: "utf8" }).trim()
  writeFileSync(join(project, "package.json"), '{ "type": "module" }')
  const install = ["install", "--offline", "--no-audit", "--no-fund", "--loglevel=error", filename]
  execFileSync("npm", install, { cwd: project, stdio: "ignore" })
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

interface Manifest {
  readonly bin: Readonly<Record<string, string>>
  readonly version: string
  readonly dependencies?: unknown
  readonly peerDependencies: Readonly<Record<string, string>>
}

const manifest = (): Manifest => JSON.parse(readFileSync(join(installed(), "package.json"), "utf8"))

/** A software bill of materials, as far as a test reads it. */
interface Bill {
  readonly bomFormat: string
  readonly metadata: { readonly component: { readonly purl: string } }
  readonly components: ReadonlyArray<{
    readonly group?: string
    readonly name: string
    readonly version: string
    readonly externalReferences: ReadonlyArray<{ readonly hashes?: ReadonlyArray<unknown> }>
  }>
}

/** The installed command, as npm would link it. */
const main = () => join(installed(), manifest().bin["wcs-conformance"] ?? "")

describe("the packed package", () => {
  it("contains the command, the library with types, and data", () => {
    for (const file of [
      ...["dist/engine/Conformance.js", "dist/engine/Conformance.d.ts", "action.yml", "gitlab-ci.yml"],
      ...["README.md", "PROFILE.md", "LICENSE", "THIRD-PARTY-LICENSES", "sbom.cdx.json"]
    ]) {
      assert.isTrue(existsSync(join(installed(), file)), file)
    }
    for (const [file, key] of [
      ...[
        ["counts.json", "requests"],
        ["kill-matrix.json", "kills"]
      ],
      ...[
        ["profile.schema.json", "$schema"],
        ["baseline.schema.json", "$schema"]
      ]
    ] as const) {
      assert.property(JSON.parse(readFileSync(join(installed(), file), "utf8")), key, file)
    }
    for (const file of ["src", "test", "dist/test"]) assert.isFalse(existsSync(join(installed(), file)), file)
    assert.strictEqual(manifest().version, suiteVersion)
  })

  it("has a command of at most 3 MB without dependencies, which works when copied and stays compiled", () => {
    assert.notProperty(manifest(), "dependencies")
    assert.sameMembers(
      readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith(".")),
      ["@wcs"]
    )
    const files = readdirSync(installed()).filter((file) => file.endsWith(".js"))
    const sizes = files.map((file) => statSync(join(installed(), file)).size)
    assert.isAtMost(
      sizes.reduce((sum, size) => sum + size, 0),
      3_000_000
    )
    // The version is answered without the suite, whose parsing takes longer than the bar allows.
    assert.isAtMost(statSync(main()).size, 10_000)
    const alone = join(project, "alone")
    mkdirSync(alone)
    for (const file of files) copyFileSync(join(installed(), file), join(alone, file))
    const { NODE_COMPILE_CACHE: _, ...env } = process.env // a cache of the tests would be used instead
    const run = (...args: ReadonlyArray<string>) =>
      execFileSync(process.execPath, [join(alone, "wcs-conformance.js"), ...args], {
        cwd: project,
        encoding: "utf8",
        env
      })
    assert.strictEqual(run("--version"), `wcs-conformance v${suiteVersion}\n`)
    assert.strictEqual(run("--version", "--log-level", "warn"), run("--version")) // by the whole suite
    assert.include(run("explain", "OWN-04"), "a link replaces the owner")
    assert.isNotEmpty(readdirSync(join(alone, "compiled")))
    // A JSON Schema is a file of the package.
    run("baseline", join(own, "test/fixtures/red-report.json"), "-o", "alone.json")
    assert.notInclude(readFileSync(join(project, "alone.json"), "utf8"), "$schema")
  })

  it("lists the licences and the bill of materials of the packages in the command", () => {
    const licences = readFileSync(join(installed(), "THIRD-PARTY-LICENSES"), "utf8")
    const bill: Bill = JSON.parse(readFileSync(join(installed(), "sbom.cdx.json"), "utf8"))
    assert.strictEqual(bill.bomFormat, "CycloneDX")
    assert.strictEqual(bill.metadata.component.purl, `pkg:npm/%40wcs/conformance@${suiteVersion}`)
    const names = bill.components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`))
    assert.includeMembers(names, ["effect", "fast-check", "yaml", "@effect/platform-node"])
    assert.notInclude(names, "vitest")
    for (const [index, name] of names.entries()) {
      assert.include(licences, `${name} ${bill.components[index]?.version} (`)
      assert.isNotEmpty(bill.components[index]?.externalReferences[0]?.hashes)
    }
  })

  it("has a command that knows its rules and the faults that break them, and writes files that name their schema", () => {
    const run = (...args: ReadonlyArray<string>) =>
      execFileSync(process.execPath, [main(), ...args], { cwd: project, encoding: "utf8" })
    assert.include(run("explain", "OWN-04"), "a link replaces the owner")
    run("baseline", join(own, "test/fixtures/red-report.json"), "-o", "known.json")
    const { $schema } = JSON.parse(readFileSync(join(project, "known.json"), "utf8"))
    assert.isTrue(existsSync(join(project, $schema)), $schema)
  })

  it("is a library with types for a project that has its peer dependencies", () => {
    for (const name of Object.keys(manifest().peerDependencies)) {
      symlinkSync(join(own, "node_modules", name), join(project, "node_modules", name))
    }
    const code = [
      'import { conformance } from "@wcs/conformance/engine/Conformance"',
      'import type { Event } from "@wcs/conformance/evidence/Event"',
      "const profile = {",
      '  name: "x", newer: { tenantBaseUrl: "https://localhost:1" }, principals: { admin: { token: "${TOKEN}" } }',
      "}",
      "const events: Array<Event> = []",
      'for await (const event of conformance({ profile, environment: { TOKEN: "undisclosed" } })) events.push(event)',
      "console.log(events.map(({ type }) => type).join())"
    ].join("\n")
    writeFileSync(join(project, "use.ts"), code)
    const told = execFileSync(process.execPath, ["use.ts"], { cwd: project, encoding: "utf8" })
    assert.match(told, /^run-started,.*run-ended\n$/)
    const check = (file: string) => {
      const flags = [
        "--noEmit",
        "--strict",
        "--skipLibCheck",
        "--module",
        "nodenext",
        "--target",
        "es2024",
        "--types",
        ""
      ]
      const compiler = execFileSync("effect-tsgo", ["get-exe-path"], {
        env: { ...process.env, PATH: tools },
        encoding: "utf8"
      })
      execFileSync(compiler.trim(), [...flags, "--lib", "es2024,dom", file], { cwd: project, encoding: "utf8" })
    }
    check("use.ts")
    writeFileSync(join(project, "misuse.ts"), code.replace("TOKEN: ", "TOKEN: 7, OTHER: "))
    assert.throws(() => check("misuse.ts"))
  })
})

/** A part of a pipeline file in YAML. */
type Described = { readonly [key: string]: Described } & ReadonlyArray<Described> & string

/** GitHub's own parser for actions. Its package imports JSON in a way that only bundlers support, not Node. */
const templateErrors = async (content: string): Promise<ReadonlyArray<string>> => {
  const hooks = registerHooks({
    load: (url, context, next) =>
      next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context)
  })
  try {
    const { NoOperationTraceWriter } = await import("@actions/workflow-parser")
    const { parseAction } = await import("@actions/workflow-parser/actions/action-parser")
    const { convertActionTemplate } = await import("@actions/workflow-parser/actions/action-template")
    const { context, value } = parseAction({ name: "action.yml", content }, new NoOperationTraceWriter())
    if (value !== undefined) convertActionTemplate(context, value)
    return context.errors.getErrors().map(({ message }) => message)
  } finally {
    hooks.deregister()
  }
}

describe("the GitHub action", () => {
  const action: Described = parse(read("action.yml"))
  const step = [...(action["runs"]?.["steps"] ?? [])].find((one) => one["id"] === "judge")

  it("is valid for GitHub's parser, and runs this version", async () => {
    assert.deepStrictEqual(await templateErrors(read("action.yml")), [])
    for (const wrong of [/shell: bash/, /using: composite/, /runs:/]) {
      assert.isNotEmpty(await templateErrors(read("action.yml").replace(wrong, "other: x")))
    }
    assert.strictEqual(action["inputs"]?.["version"]?.["default"], suiteVersion)
  })

  it("passes inputs only as variables, never inside a script", () => {
    for (const one of action["runs"]?.["steps"] ?? []) assert.notInclude(one["run"] ?? "", "${{")
  })

  /** Runs the action's step in the installed project, as GitHub's runner would. */
  const judging = async (inputs: Readonly<Record<string, string>>) => {
    const bin = join(project, "bin")
    mkdirSync(bin, { recursive: true })
    // replaces the download of the package from the registry
    writeFileSync(
      join(bin, "npx"),
      `#!/bin/sh\necho "$3" > "${bin}/asked"\nshift 4\nexec "${process.execPath}" "${main()}" "$@"\n`
    )
    chmodSync(join(bin, "npx"), 0o755)
    const given = Object.entries(step?.["env"] ?? {}).map(([name, text]) => {
      const told = String(text).replace(
        /\$\{\{ inputs\.([\w-]+) \}\}/g,
        (_, input: string) => inputs[input] ?? String(action["inputs"]?.[input]?.["default"] ?? "")
      )
      return [name, told]
    })
    const [output, summary] = [join(project, "output"), join(project, "summary")]
    for (const file of [output, summary]) writeFileSync(file, "")
    const env = {
      ...{ PATH: `${bin}:${process.env["PATH"]}`, CONF_CLIENT_SECRET: "undisclosed" },
      ...{ GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary },
      ...Object.fromEntries(given)
    }
    const script = ["--noprofile", "--norc", "-eo", "pipefail", "-c", step?.["run"] ?? ""]
    const code = await promisify(execFile)("bash", script, { cwd: project, env }).then(
      () => 0,
      ({ code: ended }: { readonly code: number }) => ended
    )
    const text = (file: string) => readFileSync(file, "utf8")
    return { code, output: text(output), summary: text(summary), asked: text(join(bin, "asked")).trim() }
  }

  it("exits like the suite, with its summary on the run's page", async () => {
    const { down, url } = await serving(constant["401"])
    try {
      const file = join(project, "action.yaml")
      const principals = { admin: { oauth: { clientId: "x_oauth_1", clientSecret: "${CONF_CLIENT_SECRET}" } } }
      writeFileSync(file, JSON.stringify({ name: "a deployment", newer: { tenantBaseUrl: url }, principals }))
      const { asked, code, output, summary } = await judging({ profile: file, only: "OWN,ENV-04" })
      assert.deepStrictEqual([code, output], [3, "exit-code=3\n"])
      assert.match(summary, /^## Conformance of a deployment\n\n\*\*judged nothing: /)
      assert.strictEqual(asked, `@wcs/conformance@${suiteVersion}`)
      const bad = await judging({ profile: "nowhere.yaml", only: "$(touch harm)" })
      assert.deepStrictEqual([bad.code, bad.summary], [2, ""])
      assert.isFalse(existsSync(join(project, "harm")))
    } finally {
      down()
    }
  })
})

describe("the GitLab template", () => {
  it("runs this version, and keeps its reports after any end", () => {
    const template: Described = parse(read("gitlab-ci.yml"))
    const job = template[".wcs-conformance"]
    assert.strictEqual(job?.["variables"]?.["WCS_CONFORMANCE_VERSION"], suiteVersion)
    assert.strictEqual(job?.["artifacts"]?.["when"], "always")
    const [script = ""] = job?.["script"] ?? []
    execFileSync("sh", ["-n", "-c", script])
    assert.include(script, '--profile "$WCS_CONFORMANCE_PROFILE" --out conformance-report ')
    assert.strictEqual(job?.["artifacts"]?.["reports"]?.["junit"], "conformance-report/junit.xml")
    for (const [, name = ""] of script.matchAll(/\$(\w+)/g)) assert.property(job?.["variables"], name)
  })
})
