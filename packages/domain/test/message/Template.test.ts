import { assert, describe, it } from "@effect/vitest"
import { namesOf, renderOf, sampleOf } from "@wcs/domain/message/Composing"
import { languages, languageTags } from "@wcs/domain/message/Language"
import { isPersonal, messageKinds } from "@wcs/domain/message/MessageKind"
import { render, requireKnown, type Values } from "@wcs/domain/message/Template"
import { Result } from "effect"
import * as fc from "fast-check"

const values: Values = {
  organization: "Example Org",
  date: "31 January 2026",
  count: "2",
  items: ["Ann", "Bo"],
  link: "https://example.org/console/"
}

describe("threat 78: a template", () => {
  it("fills each placeholder, with items as a list in the text and in a line in the subject", () => {
    const { html, subject, text } = render(
      { subject: "{organization}: {items}", text: "On {date}:\r\n\r\n{items}\n\n{count} {link}" },
      values
    )
    assert.strictEqual(subject, "Example Org: Ann, Bo")
    assert.strictEqual(text, "On 31 January 2026:\n\n- Ann\n- Bo\n\n2 https://example.org/console/")
    assert.include(html, "<p>On 31 January 2026:</p>\n<p>Ann<br>Bo</p>")
    assert.include(html, '<a href="https://example.org/console/">https://example.org/console/</a>')
  })

  it("is refused with an unknown placeholder, which the reason names", () => {
    const unknown = requireKnown("template", "RED_TODAY", { subject: "{organization}", text: "{password}" })
    const failure = Result.isFailure(unknown) ? unknown.failure : assert.fail("accepted")
    assert.strictEqual(failure.field, "template.text")
    assert.include(failure.reason, "{password}")
    assert.include(failure.reason, "{items}")
    assert.isTrue(Result.isSuccess(requireKnown("template", "RED_TODAY", { subject: "{ }", text: "{1} {} {a-b}" })))
    assert.isTrue(Result.isFailure(requireKnown("template", "RED_TODAY", { subject: "{code}", text: "x" })))
    assert.isTrue(Result.isSuccess(requireKnown("template", "REQUEST_CODE", { subject: "{code}", text: "x" })))
  })

  it("treats values as text: no markup, no line in the subject, no placeholder of a value", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "<script>alert(1)</script>",
        "{link}",
        "a\r\nBcc: x@example.org",
        "\u202Egnp.exe",
        '"><img src=x>'
      )
    )
    fc.assert(
      fc.property(hostile, fc.array(hostile, { maxLength: 3 }), (organization, items) => {
        const { html, subject } = render(
          { subject: "{organization} {items}", text: "{organization}\n{items}" },
          {
            ...values,
            organization,
            items
          }
        )
        assert.notMatch(subject, /[\p{Cc}\u2028\u2029\u202A-\u202E]/u)
        assert.isTrue(subject.isWellFormed())
        assert.notMatch(html.replaceAll(/<\/?(?:html|body|p|br)>|<!doctype html>/g, ""), /[<>"]/)
      })
    )
    assert.strictEqual(
      render({ subject: "{organization}", text: "x" }, { ...values, organization: "{link}" }).subject,
      "{link}"
    )
  })
})

describe("each language", () => {
  it("has words with known placeholders for each kind, and renders a sample of each", () => {
    for (const language of languageTags) {
      for (const kind of messageKinds) {
        const words = languages[language]
        assert.isTrue(Result.isSuccess(requireKnown("template", kind, words.templates[kind])))
        const tenant = { name: "Example Org", host: "wcs.example.org" }
        const contents = sampleOf(kind, words, { today: "2026-01-31" }, language)
        const { html, subject, text } = renderOf(tenant, { language, templates: {} }, kind, contents, "2026-01-31")
        for (const part of [subject, text, html]) assert.notMatch(part, /\{[a-z]+\}/i, `${language} ${kind}`)
        if (!isPersonal(kind)) assert.include(text, "https://wcs.example.org/console/")
        for (const item of [...(contents.items ?? []), contents.link ?? "", contents.code ?? ""]) {
          assert.include(text, item)
        }
      }
    }
  })

  it("names the first people and counts the others", () => {
    const names = Array.from({ length: 23 }, (_, n) => `Person ${n}`)
    const { count, items } = namesOf(names, languages.en)
    assert.strictEqual(count, "23")
    assert.deepStrictEqual(items?.slice(-2), ["Person 19", "and 3 more"])
    assert.deepStrictEqual(namesOf(names.slice(0, 20), languages.en).items, names.slice(0, 20))
  })
})
