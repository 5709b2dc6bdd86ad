import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import {
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
import { request } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Reply, replyOf } from "./Process.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const run = promisify(execFile)

/** An empty project outside the workspace, with the packed packages installed. The suite has tests of its own. */
let project: string

const { HOME = "", PATH = "" } = process.env
const environment = { HOME, PATH, npm_config_update_notifier: "false" }

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "wcs-installed-"))
  const { stdout } = await run(process.execPath, [
    join(root, ".dev/pack/main.ts"),
    ...["--out", join(project, "packed"), "wcs", "client", "receiver", "register-kit"]
  ])
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }')
  // Nothing comes from the registry, so no package may need another one, except for the peer dependency.
  const flags = ["--offline", "--legacy-peer-deps", "--no-audit", "--no-fund"]
  await run("npm", ["install", ...flags, ...stdout.trim().split("\n")], { cwd: project, env: environment })
  for (const name of ["effect", "@types/node"]) {
    const link = join(project, "node_modules", name)
    mkdirSync(join(link, ".."), { recursive: true })
    symlinkSync(join(root, name === "effect" ? "packages/client/node_modules" : "node_modules", name), link)
  }
  writeFileSync(join(project, "hire.ts"), example("packages/client/README.md", "ts"))
})
afterAll(() => rmSync(project, { recursive: true, force: true }))

interface Announced {
  readonly port: number
  readonly certificateFile: string
}

const get = ({ certificateFile, port }: Announced, path: string): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const ca = readFileSync(certificateFile)
    request({ port, path, host: "localhost", agent: false, ca })
      .once("error", reject)
      .once("response", (response) => replyOf(response).then(resolve, reject))
      .end()
  })

/** The first block of code of a README in this language. */
const example = (path: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(read(path))?.[1] ?? ""

/** Writes files into the project, and returns the compiler's messages about them and about a present one. */
const compiled = async (files: Readonly<Record<string, string>>, present: string): Promise<string> => {
  for (const [name, code] of Object.entries(files)) writeFileSync(join(project, name), code)
  const { stdout } = await run("effect-tsgo", ["get-exe-path"], { cwd: root })
  const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "--module", "nodenext"]
  const args = [...flags, "--target", "es2024", "--types", "node", present, ...Object.keys(files)]
  return run(stdout.trim(), args, { cwd: project }).then(
    () => "",
    ({ stdout: told }: { readonly stdout: string }) => told
  )
}

// The client waits between its retries, and so do programs that start: the others run meanwhile.
describe.concurrent("the packed packages in an empty project", () => {
  it("are all that npm installs", () => {
    const names = readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))
    assert.sameMembers(names, ["wcs", "@wcs", "effect", "@types"])
    assert.sameMembers(readdirSync(join(project, "node_modules/@wcs")), ["client", "receiver", "register-kit"])
  })

  it("have a README of wcs, and every file that the README names", () => {
    const folder = join(project, "node_modules/wcs")
    const words = readFileSync(join(folder, "README.md"), "utf8").replaceAll(/```.*?```/gs, "")
    const files = Array.from(words.matchAll(/`((?:deploy\/|main|sbom|THIRD)[^` ]*)`/g), ([, name = ""]) => name)
    assert.isAtLeast(files.length, 6)
    for (const file of [...files, "deploy/monitoring/alerts.yml"]) assert.isTrue(existsSync(join(folder, file)), file)
  })

  it("have every file of the console that its page and its scripts name", () => {
    const folder = join(project, "node_modules/wcs/console")
    const files = readdirSync(folder)
    for (const file of files) {
      const text = readFileSync(join(folder, file), "utf8")
      const named = Array.from(text.matchAll(/"(?:\.\/)?([\w-]+-[0-9A-Z]{8}\.(?:css|js))"/g), ([, name = ""]) => name)
      assert.includeMembers(files, named, file)
    }
    assert.isAbove(files.length, 25)
  })

  it("have the licences and the bill of materials of everything in wcs, whose stack traces name the sources", async () => {
    const folder = join(project, "node_modules/wcs")
    const text = (name: string) => readFileSync(join(folder, name), "utf8")
    const { version } = JSON.parse(read("package.json"))
    assert.deepInclude(JSON.parse(text("package.json")), { version, license: "Apache-2.0", bin: { wcs: "main.js" } })
    assert.include(text("LICENSE"), "Apache License")
    const bill = JSON.parse(text("sbom.cdx.json"))
    assert.strictEqual(bill.metadata.component["bom-ref"], `pkg:npm/wcs@${version}`)
    const refs = bill.components.map((component: { readonly "bom-ref": string }) => component["bom-ref"]).join("\n")
    for (const name of ["effect", "undici", "jose", "xml-crypto", "preact"]) {
      assert.match(text("THIRD-PARTY-LICENSES"), new RegExp(`^${name} \\d`, "m"))
      assert.include(refs, `pkg:npm/${name}@`)
    }
    assert.notInclude(refs, "esbuild")
    const tracing = join(project, "tracing.mjs")
    writeFileSync(tracing, "const { exit } = process\nprocess.exit = () => exit(console.log(new Error().stack) ?? 0)\n")
    const env = { ...environment, NODE_OPTIONS: `--import ${tracing}` }
    const { stdout } = await run(process.execPath, [join(folder, "main.js"), "no-command"], { env })
    assert.match(stdout, /\/apps\/wcs\/src\/Program\.ts:\d+:\d+/)
  })

  it("serve by `npx wcs serve` in an empty folder, and stop on SIGTERM", async () => {
    const folder = join(project, "serving")
    mkdirSync(folder)
    const env = { ...environment, WCS_PORT: "0", WCS_ADMIN_PORT: "0" }
    const server = spawn("npx", ["--offline", "wcs", "serve", "--json"], {
      cwd: folder,
      env,
      detached: true, // npx does not pass signals on: like Ctrl-C, they must reach the whole group
      stdio: ["ignore", "pipe", "ignore"]
    })
    const ended = once(server, "close")
    try {
      const announced: Announced = await new Promise((resolve, reject) => {
        let told = ""
        server.stdout.setEncoding("utf8").on("data", (chunk: string) => {
          told += chunk
          if (told.endsWith("\n")) resolve(JSON.parse(told))
        })
        server.once("close", (code) => reject(new Error(`the server ended with ${code}`)))
      })
      assert.strictEqual(announced.certificateFile, join(folder, "data/tls-cert.pem"))
      // the packed program sets its own umask: nothing sets one before it
      assert.strictEqual(statSync(join(folder, "data/wcs.sqlite")).mode & 0o777, 0o600)
      const page = await get(announced, "/console")
      const [script = ""] = /\/console\/assets\/[\w.-]+\.js/.exec(page.text) ?? []
      const replies = await Promise.all(["/openapi/v1/workers", "/docs", script].map((path) => get(announced, path)))
      assert.deepStrictEqual(
        replies.map(({ status }) => status),
        [401, 200, 200]
      )
    } finally {
      if (server.pid !== undefined) process.kill(-server.pid, "SIGTERM")
    }
    await ended
  })

  it("judge the gateway of the README by `npx wcs-register-kit`", async () => {
    writeFileSync(join(project, "gateway.mjs"), example("packages/register/README.md", "js"))
    const [, cards = ""] =
      /example: cards\.json -->\n```json\n(.*?)^```/ms.exec(read("packages/register/README.md")) ?? []
    writeFileSync(join(project, "cards.json"), cards)
    const gateway = spawn(process.execPath, ["gateway.mjs"], {
      cwd: project,
      env: { ...environment, TOKEN: "tok_1", PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"]
    })
    try {
      const [line] = await once(gateway.stdout.setEncoding("utf8"), "data")
      const url = `http://127.0.0.1:${/\d+/.exec(line)?.[0]}/`
      const args = ["--offline", "wcs-register-kit", "--url", url, "--token", "tok_1", "--samples", "cards.json"]
      const { stdout } = await run("npx", args, { cwd: project, env: environment })
      assert.match(stdout, /^judged \d+ of \d+ musts: \d+ passed, 0 failed/m)
    } finally {
      gateway.kill()
    }
    const folder = join(project, "node_modules/@wcs/register-kit")
    for (const file of ["LICENSE", "README.md", "sbom.cdx.json"]) assert.isTrue(existsSync(join(folder, file)), file)
    assert.match(readFileSync(join(folder, "THIRD-PARTY-LICENSES"), "utf8"), /^effect \d/m)
  })

  it("have types: the client's example compiles, and a wrong call does not", async () => {
    const code = example("packages/client/README.md", "ts")
    const wrong = code.replace('displayName, emailAddress: "cy@example.org"', "displayName, emailAddress: 7")
    assert.notStrictEqual(wrong, code)
    // The types of the contract and the domain can be named.
    const named = 'import { noOwners, type Owners } from "@wcs/client/domain/ownership/Ownership"\n'
    const owners = `${named}export const owners: Owners = noOwners\n`
    const told = await compiled({ "owners.ts": owners, "wrong.ts": wrong }, "hire.ts")
    assert.match(told, /^wrong\.ts.*'number' is not assignable/)
    assert.notMatch(told, /^(hire|owners)\.ts/m)
  })

  it("run: the client's example reports that nothing answers", async () => {
    const code = [
      'import { hire } from "./hire.ts"',
      'import { Effect } from "effect"',
      'import { FetchHttpClient } from "effect/http"',
      "const exit = await Effect.runPromiseExit(Effect.provide(hire, FetchHttpClient.layer))",
      "console.log(JSON.stringify(exit))"
    ].join("\n")
    writeFileSync(join(project, "run.ts"), code)
    const settings = { WCS_URL: "https://localhost:1", WCS_CLIENT_ID: "a", WCS_CLIENT_SECRET: "undisclosed" }
    const { stdout } = await run(process.execPath, ["run.ts"], { cwd: project, env: { ...environment, ...settings } })
    assert.include(stdout, '"_tag":"Unanswered"')
    assert.notInclude(stdout, "undisclosed")
  })

  it("run: the receiver's example listens, and refuses a delivery without a signature", async () => {
    writeFileSync(join(project, "receive.mjs"), example("packages/receiver/README.md", "js"))
    const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`
    const receiver = spawn(process.execPath, ["receive.mjs"], {
      cwd: project,
      env: { ...environment, SECRET: secret, PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    try {
      const port = await new Promise<string>((resolve, reject) => {
        receiver.stdout.setEncoding("utf8").on("data", (line: string) => resolve(/\d+/.exec(line)?.[0] ?? ""))
        void text(receiver.stderr).then((told) => reject(new Error(told)))
      })
      const { status } = await fetch(`http://localhost:${port}`, { method: "POST", body: "{}" })
      assert.strictEqual(status, 400)
    } finally {
      receiver.kill()
    }
  })
})
