import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { gatewayRules } from "@wcs/register-kit/Catalogue"
import { Effect } from "effect"

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8")
const contract = read("../../register/README.md")
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "register-kit-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The code block of the contract's README after a comment with its name. */
const block = (name: string): string => {
  const [, code] = new RegExp(`<!-- example: ${name} -->\n\`\`\`\\w+\n(.*?)^\`\`\`$`, "ms").exec(contract) ?? []
  return code ?? assert.fail(`the README has no example ${name}`)
}

const token = "tok_of_queensland"
const samples = join(folder, "cards.json")
writeFileSync(samples, block("cards.json"))

/** Runs a gateway. Returns its URL. */
const serving = Effect.fnUntraced(function* (code: string) {
  const program = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--input-type=module", "--eval", code], {
        env: { ...process.env, PORT: "0", TOKEN: token },
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (child) => Effect.sync(() => child.kill())
  )
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]()
  const { value } = yield* Effect.promise(() => lines.next())
  const [, port] = /^listening on port (\d+)$/.exec(String(value)) ?? []
  assert.isDefined(port)
  return `http://127.0.0.1:${port}/`
})

/** Runs the command. Returns its exit code and output. */
const kit = (...args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [main, "--no-color", ...args], {
      cwd: folder,
      env: { ...process.env, WCS_REGISTER_SECRET: token },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const code = new Promise((resolve) => child.once("close", resolve))
    const [told, complaints] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { code: await code, told, complaints }
  })

describe("the gateway of the README", () => {
  it.effect("keeps every rule of the kit", () =>
    Effect.gen(function* () {
      const url = yield* serving(block("gateway.mjs"))
      const { code, told } = yield* kit("--url", url, "--samples", samples, "--fail-on", "should", "--out", "kept")
      assert.strictEqual(code, 0, told)
      for (const file of ["report.json", "junit.xml"]) {
        assert.isTrue(existsSync(join(folder, "kept", file)), file)
        assert.notInclude(readFileSync(join(folder, "kept", file), "utf8"), token)
      }
    })
  )

  it.effect("breaks a rule without the other names, and leaves some rules open without known cards", () =>
    Effect.gen(function* () {
      const code = block("gateway.mjs").replace("[holder, ...holder.otherNames]", "[holder]")
      const url = yield* serving(code)
      const broken = yield* kit("--url", url, "--samples", samples)
      assert.strictEqual(broken.code, 1, broken.told)
      assert.match(broken.told, /^.*GWY-22/m)
      const open = yield* kit("--url", url, "--quiet")
      assert.strictEqual(open.code, 4, open.told)
    })
  )

  it.effect("keeps every rule with a password too, which no report has in any form", () =>
    Effect.gen(function* () {
      const basic = Buffer.from(`officer:${token}`).toString("base64")
      const url = yield* serving(block("gateway.mjs").replace(/`Bearer .*`/, `"Basic ${basic}"`))
      const { code, told } = yield* kit("--url", url, "--user", "officer", "--samples", samples, "--out", "by-password")
      assert.strictEqual(code, 0, told)
      const report = readFileSync(join(folder, "by-password", "report.json"), "utf8")
      for (const secret of [token, basic]) assert.notInclude(report, secret)
    })
  )

  it.effect("cannot be judged with a wrong token, or while it is away", () =>
    Effect.gen(function* () {
      const url = yield* serving(block("gateway.mjs"))
      const refused = yield* kit("--url", url, "--token", "another", "--samples", samples)
      assert.strictEqual(refused.code, 3, refused.told)
      assert.include(refused.told, "the gateway refused the token or password: it answered 401")
      assert.strictEqual((yield* kit("--url", "http://127.0.0.1:1/", "--samples", samples)).code, 3)
    })
  )
})

describe("the command", () => {
  it.effect.each([
    [["--url", "http://gateway.example/"], "--url takes an https URL"],
    [["--url", "https://gateway.example/", "--seconds", "0"], "--seconds takes 0.1 to 60"],
    [["--url", "https://gateway.example/", "--samples", "no.json"], "--samples: cannot read no.json"],
    [[], "Missing required flag: --url"]
  ] as const)("refuses %j before it sends anything", ([args, reason]) =>
    Effect.gen(function* () {
      const { code, complaints } = yield* kit(...args)
      assert.strictEqual(code, 2)
      assert.include(complaints, reason)
    })
  )
})

describe("the README of the kit", () => {
  it("lists the rules", () => {
    const rows = read("../README.md").match(/^\| GWY-.*$/gm) ?? []
    assert.deepStrictEqual(
      rows,
      gatewayRules.map(({ id, level, sections, text }) => `| ${id} | ${level} | ${sections.join()} | ${text} |`)
    )
  })

  it("links a contract that has the section of each rule", () => {
    const [, sections = ""] = /^## The contract\n(.*?)^## /ms.exec(contract) ?? []
    const headings = Array.from(sections.matchAll(/^### (.+)$/gm), ([, heading]) => heading)
    assert.sameMembers(headings, [...new Set(gatewayRules.flatMap(({ sections }) => sections))])
  })
})
