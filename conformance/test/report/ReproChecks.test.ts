import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import type { RecordedExchange, ReportedDifference } from "@wcs/conformance/report/Report"
import { checkOf } from "@wcs/conformance/repro/ReproChecks"
import { reproFunctions } from "@wcs/conformance/repro/ReproFunctions"
import { quote } from "@wcs/conformance/repro/Shell"
import type { Json } from "@wcs/conformance/text/Json"

const folder = mkdtempSync(join(tmpdir(), "wcs-checks-test-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** A response of the run or of the script. */
interface Got {
  readonly status?: string
  readonly headers?: string
  readonly json?: Json
  readonly text?: string
}

const textOf = ({ json, text }: Got): string => text ?? (json === undefined ? "" : JSON.stringify(json))

const recorded = (then: Got): RecordedExchange => ({
  ...{ number: 7, walk: "a/b", step: 1, kind: "call", principal: null, silence: null, startedAt: "", millis: 1 },
  request: { method: "GET", url: "https://tenant.example/", headers: [], body: "" },
  answer: { status: 200, headers: {}, text: textOf(then) }
})

const telling: Readonly<Record<string, string>> = {
  "  as expected": "as expected",
  "  NOT as expected": "not as expected",
  "  as the run got it": "as the run got it",
  "  compare for yourself": "cannot tell"
}

/** Returns the script's result for a difference: the run got `then`, and the deployment now responds `now`. */
const told = (difference: Omit<ReportedDifference, "exchange">, then: Got, now: Got): string | undefined => {
  const dir = mkdtempSync(join(folder, "answer-"))
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, "7.status"), now.status ?? "200")
  writeFileSync(join(dir, "7.headers"), `HTTP/1.1 200 OK\r\n${now.headers ?? ""}\r\n\r\n`)
  writeFileSync(join(dir, "7.body"), textOf(now))
  const script = [
    reproFunctions([]),
    `dir=${quote(dir)}`,
    checkOf({ ...difference, exchange: 7 }, recorded(then), quote)
  ]
  const lines = execFileSync("/bin/sh", ["-c", script.join("\n")])
    .toString()
    .trimEnd()
    .split("\n")
  return telling[lines.at(-1) ?? ""]
}

const status = (expected: Json): Omit<ReportedDifference, "exchange"> => ({
  kind: "status",
  at: "status",
  expected,
  actual: 200
})
const wrong = (at: string, expected: Json, actual: Json): Omit<ReportedDifference, "exchange"> => ({
  ...{ kind: "wrong-value", at: `body.${at}` },
  ...{ expected, actual }
})
const of = (kind: ReportedDifference["kind"], at: string, expected: Json, actual: Json = null) => ({
  kind,
  at,
  expected,
  actual
})

const good = "as expected"
const bad = "not as expected"
const again = "as the run got it"
const unsure = "cannot tell"

const rows: ReadonlyArray<
  readonly [what: string, Omit<ReportedDifference, "exchange">, then: Got, now: Got, expected: string]
> = [
  ["a status", status(409), {}, { status: "409" }, good],
  ["another status", status(409), {}, { status: "200" }, bad],
  ["one of some statuses", status([400, 404]), {}, { status: "404" }, good],
  ["none of some statuses", status([400, 404]), {}, { status: "422" }, bad],
  ["a family", status("4xx"), {}, { status: "422" }, good],
  ["none of two families", status("2xx or 4xx"), {}, { status: "500" }, bad],
  ["no family", status("no 2xx"), {}, { status: "200" }, bad],
  ["no answer, where no family may be", status("no 2xx"), {}, { status: "000" }, good],
  ["any but one", status("any but 409"), {}, { status: "409" }, bad],
  ["words that name no status", status("a call made with both tokens or with neither"), {}, {}, unsure],
  ["an answer", of("no-answer", "status", "an answer", "reset"), {}, { status: "401" }, good],
  ["none again", of("no-answer", "status", "an answer", "reset"), {}, { status: "000" }, bad],
  ["a header", of("missing", "header x-request-id", "an id"), {}, { headers: "X-Request-Id: a" }, good],
  ["no header", of("missing", "header x-request-id", "an id"), {}, { headers: "X-Other: a" }, bad],
  ["a header too many", of("unexpected", "header x-echo", "absent", "b"), {}, { headers: "x-echo: a" }, bad],
  ["the same header", of("wrong-value", "header x-echo", "an id", "b"), {}, { headers: "x-echo: b" }, again],
  ["another header", of("wrong-value", "header x-echo", "an id", "b"), {}, { headers: "x-echo: c" }, unsure],
  [
    "a code",
    wrong("error.code", "A", "B"),
    { json: { error: { code: "B" } } },
    { json: { error: { code: "A" } } },
    good
  ],
  [
    "a wrong code",
    wrong("error.code", "A", "B"),
    { json: { error: { code: "B" } } },
    { json: { error: { code: "C" } } },
    bad
  ],
  ["one of two codes", wrong("code", ["A", "C"], "B"), { json: { code: "B" } }, { json: { code: "C" } }, good],
  ["a number that is a text", wrong("n", 1, "1"), { json: { n: "1" } }, { json: { n: "1" } }, bad],
  [
    "the second of a name",
    wrong("b.id", "y", "z"),
    { json: { id: "x", b: { id: "z" } } },
    { json: { id: "x", b: { id: "y" } } },
    good
  ],
  ["words, the same", wrong("m", "some words", "B"), { json: { m: "B" } }, { json: { m: "B" } }, again],
  ["words, another", wrong("m", "some words", "B"), { json: { m: "B" } }, { json: { m: "some words" } }, unsure],
  ["an empty list", wrong("data", [], [1]), { json: { data: [1] } }, { json: { data: [] } }, good],
  ["a list that is not empty", wrong("data", [], [1]), { json: { data: [1] } }, { json: { data: [2] } }, bad],
  [
    "an owner that stayed",
    of("changed", "body.owners", { worker: "a", applicant: null }, { worker: "b", applicant: null }),
    { json: { owners: { worker: "b", applicant: null } } },
    { json: { owners: { worker: "a", applicant: null } } },
    good
  ],
  [
    "an owner that went",
    of("changed", "body.owners", { worker: "a" }, { worker: null }),
    { json: { owners: { worker: null } } },
    { json: { owners: { worker: null } } },
    bad
  ],
  [
    "a pair",
    of("changed", "body.owners", ["a", null], [null, null]),
    { json: { owners: {} } },
    { json: { owners: {} } },
    unsure
  ],
  ["an integer", of("wrong-type", "body.n", "integer", "3"), { json: { n: "3" } }, { json: { n: 3 } }, good],
  [
    "a text for an integer",
    of("wrong-type", "body.n", "integer", "3"),
    { json: { n: "3" } },
    { json: { n: "3" } },
    bad
  ],
  ["a text", of("wrong-type", "body.n", "non-empty string", 3), { json: { n: 3 } }, { json: { n: "x" } }, good],
  ["an empty text", of("wrong-type", "body.n", "non-empty string", ""), { json: { n: "" } }, { json: { n: "" } }, bad],
  ["a list, not an object", of("wrong-type", "body.n", "list", {}), { json: { n: {} } }, { json: { n: {} } }, bad],
  ["a list", of("wrong-type", "body.n", "list", {}), { json: { n: {} } }, { json: { n: [1] } }, good],
  [
    "a field",
    of("missing", "body.meta.requestId", "present"),
    { json: { meta: {} } },
    { json: { meta: { requestId: "a" } } },
    good
  ],
  ["no field", of("missing", "body.meta.requestId", "present"), { json: { meta: {} } }, { json: { meta: {} } }, bad],
  [
    "a field elsewhere",
    of("missing", "body.data", "a list"),
    { json: { x: { data: 1 } } },
    { json: { x: { data: 1 } } },
    again
  ],
  [
    "a field too many",
    of("unexpected", "body.error", "absent", {}),
    { json: { error: {} } },
    { json: { error: {} } },
    bad
  ],
  ["none too many", of("unexpected", "body.error", "absent", {}), { json: { error: {} } }, { json: {} }, good],
  ["JSON", of("not-json", "body", "JSON", "<p>"), { text: "<p>" }, { json: [1] }, good],
  ["no JSON", of("not-json", "body", "JSON", "<p>"), { text: "<p>" }, { text: "<p>" }, bad],
  ["no body", of("unexpected", "body", "no body", "x"), { text: "x" }, { text: "" }, good],
  ["a body", of("unexpected", "body", "no body", "x"), { text: "x" }, { text: "y" }, bad],
  ["a message", of("missing", "body", "the message"), { text: "" }, { json: { message: "the message" } }, good],
  [
    "a token",
    wrong("access_token", "a JWT", "x"),
    { json: { access_token: "x" } },
    { json: { access_token: "x" } },
    unsure
  ]
]

describe("the check of a difference in a script", () => {
  for (const [what, difference, then, now, expected] of rows) {
    it(`${what}: ${expected}`, () => assert.strictEqual(told(difference, then, now), expected))
  }

  it("prints no tokens or secrets", () => {
    const dir = mkdtempSync(join(folder, "secret-"))
    const text = '{"access_token": "eyJ.secret.secret","signingSecret":"hush","id":"shown"}'
    for (const [name, content] of [
      ["7.body", text],
      ["7.status", "200"],
      ["7.headers", ""]
    ] as const) {
      writeFileSync(join(dir, name), content)
    }
    const check = checkOf({ ...status("words"), at: "body", kind: "disclosed", exchange: 7 }, recorded({ text }), quote)
    const out = execFileSync("/bin/sh", ["-c", `${reproFunctions([])}\ndir=${quote(dir)}\n${check}`]).toString()
    assert.include(out, '{"access_token": "...","signingSecret":"...","id":"shown"}')
  })
})
