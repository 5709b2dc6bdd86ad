import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { write } from "@wcs/conformance/commands/Artefacts"
import { judgeOver } from "@wcs/conformance/engine/Conformance"
import type { Event } from "@wcs/conformance/evidence/Event"
import * as Journal from "@wcs/conformance/evidence/Journal"
import * as Progress from "@wcs/conformance/formats/Progress"
import { terminal } from "@wcs/conformance/formats/Terminal"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { isObject, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { Receiver } from "@wcs/conformance/wire/Receiver"
import { Wire } from "@wcs/conformance/wire/Wire"
import type { Serve } from "@wcs/specimen/target/Serve"
import { Effect, Layer, Stream } from "effect"
import fc from "fast-check"
import { reportIn } from "../Recorded.ts"
import { headerOf, withHeader, withJson } from "../Rewrite.ts"
import { environmentOf, started } from "../Specimen.ts"

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
    ["base64 of JSON", base64Of(JSON.stringify(secret).slice(1, -1))],
    ["base64 of a form", base64Of(new URLSearchParams({ s: secret }).toString().slice(2))],
    ["JSON-escaped", [JSON.stringify(secret).slice(1, -1), JSON.stringify(JSON.stringify(secret)).slice(3, -3)]]
  ])

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

/** A number below 65,536 of the three characters at a position. */
const atPosition = (text: string, at: number): number =>
  (text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 4) ^ (text.charCodeAt(at + 2) << 9)) & 0xffff

/** Finds many texts in files in one pass: each position is looked up by the beginning of a text. */
const shownIn = (
  files: ReadonlyMap<string, string>,
  looked: ReadonlyArray<{ readonly text: string; readonly is: string }>
): ReadonlyArray<string> => {
  const byBeginning = Map.groupBy(looked, ({ text }) => text.slice(0, partLength))
  // Most positions begin no text, and a table of numbers says so faster than a map of strings.
  const begins = new Uint8Array(0x10000)
  for (const { text } of looked) begins[atPosition(text, 0)] = 1
  const found = new Set<string>()
  for (const [file, content] of files) {
    for (let at = 0; at + partLength <= content.length; at++) {
      if (begins[atPosition(content, at)] !== 1) continue
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

/** The secrets of a profile: printable ASCII where a header carries them, and anything in forms and Basic pairs. */
const oddSecrets = (profile: Profile, names: ReadonlyArray<string>): fc.Arbitrary<Readonly<Record<string, string>>> => {
  const pair = /"(?:clientSecret|password)":"\$\{(\w+)\}"/g
  const inPairs = new Set([...JSON.stringify(profile).matchAll(pair)].map(([, name]) => name))
  const odd = (unit: fc.StringConstraints["unit"]) => fc.string({ ...(unit && { unit }), minLength: 20, maxLength: 44 })
  const chars = `aZ09 "\\/+&=%<>'\u{e9}~:\u2039\u00df\u2026{}\u{1f469}`
  const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index))
  return fc.record(
    Object.fromEntries(names.map((name) => [name, odd(fc.constantFrom(...(inPairs.has(name) ? [...chars] : visible)))]))
  )
}

const formDecoded = (text: string): string => new URLSearchParams(`a=${text}`).get("a") ?? text

/** Serves a deployment whose secrets are other ones: `own` by the secret that the suite has. */
const translated =
  (own: ReadonlyMap<string, string>) =>
  (serve: Serve): Serve =>
  (request) => {
    const ownOf = (text: string) => own.get(text) ?? own.get(formDecoded(text)) ?? text
    const header = (value: string): string => {
      const [scheme = "", said = ""] = value.split(/ (.*)/s)
      if (!/^basic$/i.test(scheme)) return said === "" ? value : `${scheme} ${own.get(said) ?? said}`
      const [user = "", secret = ""] = Buffer.from(said, "base64").toString().split(/:(.*)/s)
      return `${scheme} ${base64(`${ownOf(user)}:${ownOf(secret)}`)}`
    }
    const isForm = headerOf(request, "content-type")?.startsWith("application/x-www-form-urlencoded") === true
    const pairs = [...new URLSearchParams(request.body)].map(([name, value]): [string, string] => [
      name,
      own.get(value) ?? value
    ])
    return serve({
      ...request,
      headers: request.headers.map(([name, value]) => [
        name,
        name.toLowerCase() === "authorization" ? header(value) : value
      ]),
      body: isForm ? new URLSearchParams(pairs).toString() : request.body
    })
  }

/** An id of a deployment that puts what it hears into ids. */
const echoed = /~[^~]*~/g

/** A deployment that repeats its input in all forms, in headers, bodies, errors and ids. */
const blabbing =
  (heard: Set<string>) =>
  (serve: Serve): Serve =>
  (request) => {
    const plain = (text: string) => text.replaceAll(echoed, "")
    const url = plain(request.url.replaceAll(/%7E/gi, "~"))
    return Effect.map(serve({ ...request, url, body: plain(request.body) }), (answer) =>
      blabbed(request, answer, heard)
    )
  }

const blabbed = (request: Request, answer: Answer, heard: Set<string>): Answer => {
  const json = parse(answer.text)
  for (const [, token = ""] of answer.text.matchAll(/"(?:access_token|token)":"([^"]+)"/g)) heard.add(token)
  const authorization = headerOf(request, "authorization") ?? ""
  const [, sent = ""] = authorization.split(/ (.*)/s)
  const said = [
    ...[authorization, sent, request.body, request.url, base64(sent), base64(` ${request.body}`), formEncoded(sent)],
    ...[Buffer.from(`a ${sent}`).toString("base64url"), JSON.stringify({ body: request.body }), base64(authorization)]
  ]
  const withHeaders = withHeader(
    withHeader(answer, "X-Debug", encodeURIComponent(authorization)),
    "X-Debug-Body",
    base64(request.body)
  )
  if (!isObject(json)) return withHeaders
  const { data } = json
  const id = isObject(data) && request.method === "POST" && request.url.endsWith("/workers") ? data["id"] : undefined
  const named = typeof id === "string" && !sent.includes("~") ? { data: { ...Object(data), id: `${id}~${sent}~` } } : {}
  return withJson(withHeaders, { ...json, ...named, debug: said, [`debug ${sent}`]: true })
}

const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

/** Judges a deployment and writes everything that a user gets, by the name of the file. */
const everythingOf = Effect.fnUntraced(function* (given: Readonly<Record<string, string>>, heard: Set<string>) {
  const { profile, receiver, secrets, serve } = yield* started()
  const own = environmentOf(secrets)
  const environment = { ...own, ...given }
  const byGiven = new Map(Object.entries(environment).map(([name, secret]) => [secret, own[name] ?? ""]))
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "secrets-"))),
    (one) => Effect.sync(() => rmSync(one, { recursive: true, force: true }))
  )
  const events: Array<Event> = []
  const shown = { progress: Progress.begin, text: "" }
  const send = blabbing(heard)(translated(byGiven)(serve))
  yield* judgeOver({ profile, environment }).pipe(
    Stream.runForEach((event) =>
      Effect.sync(() => {
        events.push(event)
        const { progress, text } = Progress.follow(shown.progress, event, { isTty: true, color: true }, 1)
        shown.progress = progress
        shown.text += text
      })
    ),
    Effect.provideService(Receiver, receiver),
    Effect.provide(
      Layer.merge(Layer.succeed(Wire, Wire.of({ send })), Journal.layerFile(join(folder, "journal.ndjson")))
    )
  )
  const report = reportIn(events)
  yield* write(folder, { runs: [{ events, report }], report, profile }, "must")
  const files = filesIn(folder).map((file) => [file.slice(folder.length), readFileSync(file, "utf8")] as const)
  const text = `${shown.text}${terminal(report, { color: false, lists: true })}`
  return { environment, report, files: new Map([...files, ["the terminal", text] as const]) }
}, Effect.scoped)

describe("a run against a deployment that repeats what it hears", () => {
  it("shows no secret in its files and at the terminal, also if the secrets have odd characters", async () => {
    const { profile, secrets } = await Effect.runPromise(Effect.scoped(started()))
    await fc.assert(
      fc.asyncProperty(oddSecrets(profile, Object.keys(environmentOf(secrets))), async (given) => {
        const heard = new Set<string>()
        const { environment, files, report } = await Effect.runPromise(everythingOf(given, heard))
        assert.deepStrictEqual(
          report.rules.filter(({ verdict }) => verdict === "error").map(({ id, reasons }) => [id, reasons]),
          []
        )
        // most of the run is as it would be without the echo
        assert.isAbove(report.counts.requests, 1000)
        assert.isAbove(report.counts.MUST.pass, 70)
        assert.isAbove(heard.size, 3)
        assert.isTrue([...files.keys()].some((file) => file.includes("repro")))
        const tokens = [...heard].map((token, index) => [`token ${index}`, token] as const)
        const looked = [...Object.entries(environment), ...tokens].flatMap(([name, one]) => lookedFor(name, one))
        assert.deepStrictEqual(shownIn(files, looked), [])
      }),
      { numRuns: 2, endOnFailure: true }
    )
  }, 480_000)

  const odd = `canary "quoted" \\back\\ /sla+sh/ &amp=equals% <é>~ 0123456789`

  it("would be detected if it showed one", () => {
    const text = JSON.stringify({
      a: `Basic ${base64(`client:${odd}`)}`,
      b: odd,
      c: encodeURIComponent(odd)
    })
    const found = shownIn(new Map([["a file", text]]), lookedFor("canary", odd))
    assert.sameMembers(
      [...found],
      ["base64", "URL-encoded", "JSON-escaped"].map((form) => `canary, ${form}, in a file`)
    )
  })
})
