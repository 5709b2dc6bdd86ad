import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import type { Event } from "@wcs/conformance/evidence/Event"
import { html } from "@wcs/conformance/formats/Html"
import { junit } from "@wcs/conformance/formats/JUnit"
import { markdown } from "@wcs/conformance/formats/Markdown"
import { terminal } from "@wcs/conformance/formats/Terminal"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import { exitCodeOf } from "@wcs/conformance/report/ExitCode"
import { lacksOf } from "@wcs/conformance/report/Lacks"
import { visible } from "@wcs/conformance/text/Visible"
import fc from "fast-check"
import { exchangeOf } from "../Exchanges.ts"
import { hostile, redRun } from "../fixtures/RedRun.ts"
import { progressed, rendered, reported } from "../fixtures/Rendered.ts"

/** A report with one text in every place that a deployment, a walk or a profile can fill. */
const reportWith = (text: string) => {
  const exchange = exchangeOf({
    url: `https://tenant.example/openapi/v1/workers?q=${encodeURIComponent(text.toWellFormed())}`,
    headers: [["X-Request-Id", text]],
    body: text,
    answer: { headers: { "x-request-id": text, "x-other": text }, text }
  })
  const [started] = redRun
  const events: ReadonlyArray<Event> = [
    ...(started?.type === "run-started"
      ? [{ ...started, profile: text, target: text, deployment: { product: text } }]
      : []),
    { type: "exchange", exchange },
    {
      type: "finding",
      finding: {
        ...{ rule: "OWN-04", walk: "a/b", outcome: "fail", exchanges: [1] },
        differences: [
          { kind: "wrong-value", exchange: 1, at: `body.${text}`, expected: text, actual: { [text]: text } }
        ]
      }
    },
    {
      type: "finding",
      finding: { rule: "ENV-04", walk: "a/b", outcome: "error", differences: [], exchanges: [], reason: text }
    },
    {
      type: "finding",
      finding: { rule: "SIL-04", walk: "a/b", outcome: "observed", differences: [], exchanges: [1], observed: text }
    },
    {
      type: "finding",
      finding: {
        ...{ rule: "TRN-02", walk: "a/b", outcome: "blocked", differences: [], exchanges: [] },
        reason: text,
        lacks: [text]
      }
    },
    { type: "residue", residue: { type: "worker", name: text, why: "may have been made" } },
    { type: "run-ended", endedAt: 1_700_000_000_001, ending: { as: "finished" } }
  ]
  return reported(events)
}

const pieces = [
  "<",
  ">",
  "&",
  '"',
  "'",
  "]]>",
  "<!--",
  "\u0000",
  "\u001b[31m",
  "\u202e",
  "\ud800",
  "\n",
  "|",
  "`",
  "```",
  "\\",
  "@x",
  "\ufffe"
]
const texts = fc
  .array(fc.oneof(fc.constantFrom(...pieces, "<script>", "</pre>", "</style>"), fc.string({ maxLength: 6 })), {
    maxLength: 12
  })
  .map((parts) => parts.join(""))

/** The characters that XML 1.0 allows. */
const isXmlText = (text: string) => /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u.test(text)

const tag = /<(\/?)([a-z]+)((?: [a-zA-Z-]+="[^"<]*")*)(\/?)>/y
const content = /(?:[^<&]|&(?:amp|lt|gt|quot|#\d+);)+/y

/** Whether a text is well-formed XML with balanced tags and nothing after them. */
const isWellFormed = (document: string): boolean => {
  const xml = document.replace(/^<\?xml version="1.0" encoding="UTF-8"\?>\n/, "")
  const open: Array<string> = []
  let at = 0
  while (at < xml.length) {
    const part = xml[at] === "<" ? tag : content
    part.lastIndex = at
    const match = part.exec(xml)
    if (match === null) return false
    at = part.lastIndex
    if (part === content) continue
    const [, closing, name = "", attributes = "", empty] = match
    if (/&(?!(?:amp|lt|gt|quot|#\d+);)/.test(attributes)) return false
    if (closing === "/" && open.pop() !== name) return false
    if (closing === "" && empty === "") open.push(name)
  }
  return open.length === 0 && isXmlText(document)
}

describe("the goldens of the red run", () => {
  for (const [name, text] of Object.entries(rendered())) {
    it(`${name} is unchanged (to accept changes: node conformance/test/fixtures/Rendered.ts)`, () => {
      assert.strictEqual(text, readFileSync(new URL(`../fixtures/${name}`, import.meta.url), "utf8"))
    })
  }
})

describe("the terminal", () => {
  it("begins with failures and ends with the headline", () => {
    const report = reported(redRun)
    const lines = terminal(report, { color: false }).trimEnd().split("\n")
    assert.strictEqual(lines.at(-1), report.headline)
    assert.match(lines[2] ?? "", /^ {2}FAIL {4}RID-02/)
  })

  it("has the same text with and without colour", () => {
    const report = reported(redRun)
    const bare = terminal(report, { color: true }).replaceAll(/\p{Cc}\[[\d;]*m/gu, "")
    assert.strictEqual(bare, terminal(report, { color: false }))
    assert.notStrictEqual(terminal(report, { color: true }), bare)
  })

  it("prints no control characters and no line breaks of a deployment", () =>
    fc.assert(
      fc.property(texts, (text) => {
        const told = terminal(reportWith(text), { color: false })
        assert.notMatch(told, /(?!\n)[\p{Cc}\p{Bidi_Control}\p{Surrogate}]/u)
        assert.strictEqual(told.split("\n").length, terminal(reportWith("x"), { color: false }).split("\n").length)
      })
    ))

  it("counts the rules that were not judged by cause, and lists them on demand", () => {
    const blocked = (rule: Finding["rule"], reason: string, ...lacks: ReadonlyArray<string>): Event => ({
      type: "finding",
      finding: { rule, walk: "a/b", outcome: "blocked", differences: [], exchanges: [], reason, lacks }
    })
    const [started, ...rest] = redRun
    const run = [
      ...(started === undefined ? [] : [started]),
      blocked("TRN-02", "needs second tenant", "second tenant"),
      blocked("TRN-05", "needs second tenant; and more", "second tenant"),
      blocked("RTL-04", "the limit of 300 s passed", "more time"),
      blocked("CRD-05", "prerequisite failed: POST /x answered 422"),
      ...rest.filter(({ type }) => type === "run-ended")
    ]
    const report = reported(run)
    const told = terminal(report, { color: false, folder: "out/" })
    assert.include(told, "  BLOCKED needs second tenant: 2 musts\n  BLOCKED needs more time: 1 must\n")
    assert.include(told, "  BLOCKED prerequisite failed: POST /x answered 422\n          1 must: CRD-05\n")
    assert.notInclude(told, "TRN-05")
    assert.include(told, "\n  to list these rules here: wcs-conformance judge out --list\n")
    const npx = terminal(report, { color: false, folder: "my report", command: "npx wcs-conformance" })
    assert.include(npx, ": npx wcs-conformance judge 'my report' --list\n")
    assert.deepStrictEqual(
      lacksOf({
        ...report,
        header: { ...report.header, endedAt: new Date(Date.parse(report.header.startedAt) + 1801_000).toISOString() }
      })
        .filter(({ name }) => name === "more time")
        .flatMap(({ lines }) => lines),
      ['"run": { "secondsInAll": 3660 }']
    )
    assert.match(report.headline, /; 4 blocked: 2 need second tenant, 1 more time, 1 for another reason;/)
    const listed = terminal(report, { color: false, lists: true })
    assert.include(listed, "  BLOCKED needs second tenant; and more\n          1 must: TRN-05\n")
  })

  it("lists the rules that passed, SHOULD rules too, if rules were selected", () => {
    const selected = redRun.map((event) =>
      event.type === "run-started" ? { ...event, only: ["AUT-06", "OAU-01"] } : event
    )
    const passing: Event = {
      type: "finding",
      finding: { rule: "AUT-06", walk: "a/b", outcome: "pass", differences: [], exchanges: [] }
    }
    const [started, ...rest] = selected
    const run = [
      ...(started === undefined ? [] : [started]),
      passing,
      ...rest.filter((event) => event.type !== "finding" || event.finding.rule !== "AUT-06")
    ]
    const told = terminal(reported(run), { color: false })
    assert.match(told, / {2}PASS {4}\d+ rules?\n {10}(?:\d+ musts?, )?1 other: (?:[A-Z]{3}-\d\d )*AUT-06/)
    assert.notInclude(terminal(reported(redRun), { color: false }), "  PASS")
  })

  it("prints progress as lines without a terminal, and as one overwritten line with one", () => {
    const plain = progressed(redRun, { isTty: false, color: false })
    assert.notMatch(plain, /(?!\n)\p{Cc}/u)
    assert.match(plain, /ended {3}ownership\/link-another, 41 ms\n/)
    const written = progressed(redRun, { isTty: true, color: true })
    const last = written.split("\r\u001b[2K").at(-2)
    assert.match(last ?? "", /^ {2}2 of 2 walks, 11 requests, 0 s, 6 to review: [A-Z]+ \/openapi\/v1\//)
    assert.isTrue(written.endsWith("\r\u001b[2K"), "the line is gone in the end")
  })

  it("prints a broken rule once during the run", () => {
    const plain = progressed([...redRun, ...redRun.filter(({ type }) => type === "finding")], {
      isTty: false,
      color: false
    })
    assert.strictEqual(plain.split("OWN-04").length, 2)
  })
})

describe("JUnit", () => {
  it("is well-formed for any response", () =>
    fc.assert(fc.property(texts, (text) => assert.isTrue(isWellFormed(junit(reportWith(text)))))))

  it("is checked by a parser that rejects malformed XML", () => {
    const good = junit(reported(redRun))
    assert.isTrue(isWellFormed(good))
    for (const bad of [
      good.replace("</testsuite>", ""),
      good.replace("&lt;", "<"),
      `${good}\u0000`,
      good.replace("&amp;", "&")
    ]) {
      assert.isFalse(isWellFormed(bad))
    }
  })

  it("is red exactly when the exit code is", () => {
    const without = (...rules: ReadonlyArray<string>) =>
      reported(redRun.filter((event) => event.type !== "finding" || !rules.includes(event.finding.rule)))
    const failed = ["RID-02", "CRD-05", "OWN-04"]
    const open = ["TRN-02", "TRN-05", "BLK-08", "RTL-04"]
    const cases = [[], failed, ["ENV-04"], ["ENV-04", ...failed], ["ENV-04", ...failed, ...open], ["ENV-04", ...open]]
    const codes = cases.flatMap((rules) =>
      (["must", "should"] as const).map((failOn) => {
        const report = without(...rules)
        const isRed = /<(failure|error) /.test(junit(report, failOn))
        const code = exitCodeOf(report, failOn)
        assert.strictEqual(isRed, code !== 0, `${rules.join()} ${failOn}: ${code}`)
        return code
      })
    )
    assert.deepStrictEqual(codes, [5, 5, 5, 5, 1, 1, 4, 1, 0, 1, 1, 1])
  })

  it("has the right counts in each suite", () => {
    const suites = [
      ...junit(reported(redRun)).matchAll(
        /<testsuite [^>]*tests="(\d+)" failures="(\d+)" errors="(\d+)" skipped="(\d+)"[^>]*>(.*?)<\/testsuite>/gs
      )
    ]
    assert.strictEqual(suites.length, 12)
    for (const [, tests, failures, errors, skipped, inner = ""] of suites) {
      const count = (name: string) => String(inner.split(`<${name} `).length - 1)
      assert.deepStrictEqual([tests, failures, errors, skipped], ["testcase", "failure", "error", "skipped"].map(count))
    }
  })
})

describe("HTML", () => {
  const page = html(reported(redRun))

  it("loads nothing and runs only its own script, by its policy", () => {
    const digest = (name: string) => {
      const [, text = ""] = new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(page) ?? []
      return `'sha256-${createHash("sha256").update(text).digest("base64")}'`
    }
    const policy =
      `default-src 'none'; style-src ${digest("style")}; script-src ${digest("script")}; ` +
      "require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'"
    assert.include(page, `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    assert.deepStrictEqual(page.match(/<(script|img|iframe|link|object|embed|form|base)\b[^>]*/gi), ["<script"])
    const markup = page.replace(/<script>.*<\/script>/s, "")
    for (const [tag] of markup.matchAll(/<[a-z][^<>]*>/gi)) assert.notMatch(tag, /\s(src|style|on\w+)=/i)
    assert.notMatch(page, /url\(|@import/)
  })

  it("has unique ids and no broken links", () => {
    const found = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    assert.strictEqual(new Set(found).size, found.length)
    for (const [, target] of page.matchAll(/ (?:href="#|aria-labelledby=")([^"]+)"/g)) assert.include(found, target)
    assert.deepStrictEqual([...page.matchAll(/href="(?!#)/g)], [])
  })

  it("has a box for every verdict and level, which hides rules without script", () => {
    for (const [, verdict, level] of page.matchAll(/<article class="rule ([\w-]+) (\w+)"/g)) {
      for (const name of [verdict, level]) {
        assert.include(page, `id="show-${name}" checked`)
        assert.include(page, `body:has(#show-${name}:not(:checked)) .rule.${name} { display: none }`)
      }
    }
  })

  it("escapes every text of a deployment", () => {
    const tags = (text: string) => html(reportWith(text)).match(/<\/?[a-z]\w*/gi) ?? []
    const expected = tags("x").filter((name) => name !== "<p" && name !== "</p")
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(text !== "")
        const actual = tags(text).filter((name) => name !== "<p" && name !== "</p")
        assert.deepStrictEqual(actual, expected)
      })
    )
  })
})

describe("Markdown", () => {
  it("contains no mentions, links or HTML of a deployment", () => {
    const told = markdown(reported(redRun))
    const outsideCode = told.replaceAll(/\\[^\w\s]/g, "").replaceAll(/(`+)(?!`).*?[^`]\1(?!`)/g, "")
    assert.notMatch(outsideCode, /<(?!\/?(details|summary)>)|@\w|\]\(|:\/\//)
  })

  it("keeps text of a deployment within its line and cell", () =>
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(text.trim() !== "")
        const lines = (told: string) => told.split("\n").length
        assert.strictEqual(lines(markdown(reportWith(text))), lines(markdown(reportWith("x"))))
      })
    ))
})

describe("invisible characters", () => {
  it("are escaped", () => {
    assert.strictEqual(
      visible("a\u001b[31m\u0000\u202eb\ud800\r\nc\td\u0085"),
      "a\\u{1b}[31m\\u{0}\\u{202e}b\\u{d800}\nc\td\\u{85}"
    )
    assert.strictEqual(visible("naïve 😀 ‹token›"), "naïve 😀 ‹token›")
    assert.include(hostile, "\u001b")
  })
})
