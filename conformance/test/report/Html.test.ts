import { execFileSync } from "node:child_process"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { curl } from "@wcs/conformance/formats/Curl"
import { html } from "@wcs/conformance/formats/Html"
import { indented } from "@wcs/conformance/formats/Indented"
import { parse } from "@wcs/conformance/text/Json"
import fc from "fast-check"
import { type HTMLDetailsElement, type HTMLInputElement, type HTMLSelectElement, Window } from "happy-dom"
import { exchangeOf, type Given } from "../Exchanges.ts"
import { redRun } from "../fixtures/RedRun.ts"
import { reported } from "../fixtures/Rendered.ts"

describe("the page with its script", () => {
  const page = html(reported(redRun))
  const [, script = ""] = /<script>(.*?)<\/script>/s.exec(page) ?? []
  let window: Window

  const found = <E>(selector: string): E => {
    const element = window.document.querySelector(selector)
    if (element === null) throw new Error(`the page has no ${selector}`)
    return element as unknown as E
  }
  const input = (selector: string) => found<HTMLInputElement>(selector)
  const shown = () => found<HTMLInputElement>("#filter-shown").textContent
  const change = (selector: string, kind: string, how: (element: HTMLInputElement & HTMLSelectElement) => void) => {
    const element = found<HTMLInputElement & HTMLSelectElement>(selector)
    how(element)
    element.dispatchEvent(new window.Event(kind))
  }
  const isHidden = (selector: string) => input(selector).hidden

  beforeEach(() => {
    window = new Window({ url: "https://report.example/" })
    window.document.write(page)
    const names = ["document", "addEventListener", "location", "navigator", "getSelection"]
    new Function(...names, script)(
      window.document,
      window.addEventListener.bind(window),
      window.location,
      window.navigator,
      window.getSelection.bind(window)
    )
  })
  afterEach(() => window.happyDOM.close())

  it("shows its controls and the number of shown rules", () => {
    assert.include(page, '<div class="scripted" id="filter" hidden>')
    assert.isFalse(isHidden("#filter"))
    assert.strictEqual(shown(), "19 of 19 rules shown")
  })

  it("filters by every word, case-insensitively", () => {
    change("#filter-text", "input", (element) => {
      element.value = "plain REJECTED"
    })
    assert.strictEqual(shown(), "1 of 19 rules shown")
    assert.isFalse(isHidden("#TRN-02"))
    assert.isTrue(isHidden("#OWN-04"))
  })

  it("filters by section and hides empty headings", () => {
    change("#filter-section", "change", (element) => {
      element.value = "section-3"
    })
    assert.isFalse(isHidden("#OWN-04"))
    assert.isTrue(isHidden("#TRN-02"))
    assert.isTrue(isHidden('[data-section="section-7-1"]'))
    assert.isFalse(isHidden('[data-section="section-3"]'))
  })

  it("counts the rules that boxes hide, and has two buttons for all boxes", () => {
    change("#show-blocked", "change", (element) => {
      element.checked = false
    })
    assert.strictEqual(shown(), "15 of 19 rules shown")
    input("#filter-open").click()
    assert.strictEqual(shown(), "11 of 19 rules shown")
    assert.isFalse(input("#show-pass").checked)
    assert.isTrue(input("#show-MUST").checked)
    input("#filter-all").click()
    assert.strictEqual(shown(), "19 of 19 rules shown")
  })

  it("unfolds an exchange where a rule mentions it, without a duplicate id", () => {
    const mention = found<HTMLDetailsElement>("#AUT-04 .exchange")
    mention.open = true
    assert.include(mention.textContent, "Answer after")
    assert.strictEqual(window.document.querySelectorAll("#exchange-9").length, 1)
  })

  it("adds one copy button when a command is unfolded", () => {
    const command = found<HTMLDetailsElement>("#OWN-04 .curl")
    for (const open of [true, false, true]) command.open = open
    assert.strictEqual(command.querySelectorAll("button").length, 1)
  })
})

describe("a delivery", () => {
  it("is shown as a request of the deployment, without command and script", () => {
    const [started, ...rest] = redRun
    const ended = rest.at(-1)
    if (started === undefined || ended === undefined) return assert.fail("the red run has a beginning and an end")
    const told = html(
      reported([
        started,
        { type: "exchange", exchange: exchangeOf({ kind: "delivery", method: "POST", url: "http://localhost/hook" }) },
        {
          type: "finding",
          finding: {
            ...{ rule: "OWN-04", walk: "events/delivered", outcome: "fail", exchanges: [1] },
            differences: [{ kind: "missing", exchange: 1, at: "body.id", expected: "an id", actual: null }]
          }
        },
        ended
      ])
    )
    assert.include(told, "Delivery by the deployment")
    assert.include(told, "Answer of the suite after")
    assert.notMatch(told, /class="curl"|repro\//)
  })
})

describe("indented JSON", () => {
  const bare = (text: string) => text.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, "$1")

  it("differs from the sent text only in white space", () =>
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        fc.pre(/^[[{]/.test(text))
        const laidOut = indented(text) ?? text
        assert.strictEqual(bare(laidOut), bare(text))
        assert.deepStrictEqual(parse(laidOut), parse(text))
      })
    ))

  it("keeps duplicate names, order and numbers", () => {
    assert.strictEqual(
      indented('{"a":1e400,"a":[],"b":[{"c":"\\"{,"},12345678901234567890]}'),
      '{\n  "a": 1e400,\n  "a": [],\n  "b": [\n    {\n      "c": "\\"{,"\n    },\n    12345678901234567890\n  ]\n}'
    )
  })

  it("is undefined for text that is not JSON, too deep or too long", () => {
    for (const text of [
      "",
      "<html>",
      "{",
      "7",
      `${"[".repeat(99)}${"]".repeat(99)}`,
      JSON.stringify(["x".repeat(9000)])
    ]) {
      assert.isUndefined(indented(text))
    }
  })
})

describe("an exchange as curl", () => {
  const commandOf = (given: Given) => curl({ ...exchangeOf(given), startedAt: "2023-11-14T22:13:20.000Z" })

  /** Returns curl's arguments from a shell in which every variable of the command is set. */
  const given = (command: string): ReadonlyArray<string> =>
    execFileSync("sh", ["-c", `curl() { for word; do printf '%s\\0' "$word"; done; }\n${command}`], {
      env: { PATH: process.env["PATH"], TOKEN: "secret-token", CONF_CLIENT_SECRET: "another" },
      encoding: "utf8"
    })
      .split("\0")
      .slice(0, -1)

  it("contains the request, with a variable for the token and markers of other secrets", () => {
    const url = "https://tenant.example/openapi/v1/workers/‹CONF_CLIENT_SECRET›?q=$(echo x)'`"
    const words = given(
      commandOf({
        ...{ method: "PATCH", url, body: "it's ‹CONF_CLIENT_SECRET› $TOKEN" },
        headers: [
          ["Authorization", "Bearer ‹token of admin›"],
          ["X-Other", "Bearer ‹TOKEN›"]
        ]
      })
    )
    assert.strictEqual(words.at(-1), url)
    assert.includeMembers(
      [...words],
      ["PATCH", "Authorization: Bearer secret-token", "X-Other: Bearer ‹TOKEN›", "it's ‹CONF_CLIENT_SECRET› $TOKEN"]
    )
  })

  it("quotes every value as one word", () => {
    const text = fc
      .array(fc.constantFrom("'", '"', "$TOKEN", "`id`", "\\", "\n", "‹x›", "a", ";", "#", "-d"))
      .map((parts) => parts.join(""))
    const commands = fc.sample(text, 40).filter((one) => one !== "")
    const script = commands.map((body) => commandOf({ method: "POST", url: "https://a.example/", body })).join("\n")
    const words = given(script)
    for (const body of commands) assert.include(words, body)
    assert.strictEqual(words.filter((word) => word === "--data-raw").length, commands.length)
  })
})
