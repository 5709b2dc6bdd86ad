import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Report } from "@wcs/conformance/report/Report"
import { at, isObject } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import type { Serve } from "@wcs/specimen/target/Serve"
import { Effect } from "effect"
import { headerOf, withHeader, withJson } from "../Rewrite.ts"
import { command, served, writeProfile } from "./Served.ts"

/** Contains every character that some encoding escapes, and is long enough for all phases of base64. */
const awkward = `canary "quoted" \\back\\ /sla+sh/ &amp=equals% <é>~ 0123456789`

const base64 = (text: string) => Buffer.from(text).toString("base64")

/** The parts of a text's base64 that do not depend on the surrounding text. */
const base64Of = (secret: string): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const bytes = Buffer.from(secret)
    const from = (3 - before) % 3
    const length = Math.floor((bytes.length - from) / 3) * 3
    return bytes.subarray(from, from + length).toString("base64")
  })

/** The forms in which a secret may appear. */
const formsOf = (secret: string): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map([
    ["plain", [secret]],
    ["base64", base64Of(secret)],
    ["base64url", base64Of(secret).map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))],
    ["URL-encoded", [encodeURIComponent(secret), new URLSearchParams({ s: secret }).toString().slice(2)]],
    ["JSON-escaped", [JSON.stringify(secret).slice(1, -1), JSON.stringify(JSON.stringify(secret)).slice(3, -3)]]
  ])

/** A deployment that repeats its input in all forms, in headers and bodies. */
const blabbing =
  (heard: Set<string>) =>
  (serve: Serve): Serve =>
  (request) =>
    Effect.map(serve(request), (answer) => blabbed(request, answer, heard))

const blabbed = (request: Request, answer: Answer, heard: Set<string>): Answer => {
  for (const name of ["access_token", "token"]) {
    const token = at(answer.json, name)
    if (typeof token === "string") heard.add(token)
  }
  const authorization = headerOf(request, "authorization") ?? ""
  const [, sent = ""] = authorization.split(/ +/)
  const told = [
    ...[authorization, sent, request.body, base64(sent), base64(` ${request.body}`), encodeURIComponent(sent)],
    ...[Buffer.from(`a ${sent}`).toString("base64url"), JSON.stringify({ body: request.body })]
  ]
  const withHeaders = withHeader(
    withHeader(answer, "X-Debug", encodeURIComponent(authorization)),
    "X-Debug-Body",
    base64(request.body)
  )
  const { json } = withHeaders
  return isObject(json) ? withJson(withHeaders, { ...json, debug: told, [`debug ${sent}`]: true }) : withHeaders
}

/** The length of the part by which a text is found. Every form of a secret is longer. */
const partLength = 8

/** The texts that would show a secret. */
const lookedFor = (name: string, secret: string) =>
  [...formsOf(secret)].flatMap(([form, texts]) =>
    texts.map((text) => {
      assert.isAtLeast(text.length, partLength)
      return { text, is: `${name}, ${form}` }
    })
  )

/** Finds many texts in files in one pass: each position is looked up by the beginning of a text. */
const shownIn = (
  files: ReadonlyMap<string, string>,
  looked: ReadonlyArray<{ readonly text: string; readonly is: string }>
): ReadonlyArray<string> => {
  const byBeginning = Map.groupBy(looked, ({ text }) => text.slice(0, partLength))
  const found = new Set<string>()
  for (const [file, content] of files) {
    for (let at = 0; at + partLength <= content.length; at++) {
      for (const { is, text } of byBeginning.get(content.slice(at, at + partLength)) ?? []) {
        if (content.startsWith(text, at)) found.add(`${is}, in ${file}`)
      }
    }
  }
  return [...found]
}

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

describe("a run against a deployment that repeats every secret", () => {
  it.live(
    "shows none of them in its files and output",
    () =>
      Effect.gen(function* () {
        const heard = new Set<string>()
        const { environment, folder, profile } = yield* served({ rewrite: blabbing(heard) })
        const out = join(folder, "out")
        const { revokedClient } = profile.principals
        const revoked = revokedClient?.clientSecret.slice(2, -1) ?? assert.fail("the profile has no revoked client")
        const known = { ...environment, [revoked]: awkward }
        const ran = yield* command(["run", "-p", writeProfile(folder, profile), "--out", out], known)
        assert.strictEqual(ran.code, 1, ran.err)
        const report: Report = JSON.parse(readFileSync(join(out, "report.json"), "utf8"))
        assert.deepStrictEqual(
          report.rules.filter(({ verdict }) => verdict === "error").map(({ id, reasons }) => [id, reasons]),
          []
        )
        const files = filesIn(out)
        assert.isTrue(files.some((file) => file.includes("repro")))
        assert.isAbove(heard.size, 3)

        const told = new Map(files.map((file) => [file.slice(out.length), readFileSync(file, "utf8")]))
        told.set("standard output", ran.out)
        told.set("standard error", ran.err)
        const secrets = [
          ...Object.entries(known),
          ...[...heard].map((token, index) => [`token ${index}`, token] as const)
        ]
        const looked = secrets.flatMap(([name, secret]) => lookedFor(name, secret))
        assert.deepStrictEqual(shownIn(told, looked), [])
      }),
    480_000
  )
  it("would be detected if it showed one", () => {
    const text = JSON.stringify({
      a: `Basic ${base64(`client:${awkward}`)}`,
      b: awkward,
      c: encodeURIComponent(awkward)
    })
    const found = shownIn(new Map([["a file", text]]), lookedFor("canary", awkward))
    assert.sameMembers(
      [...found],
      ["base64", "URL-encoded", "JSON-escaped"].map((form) => `canary, ${form}, in a file`)
    )
  })
})
