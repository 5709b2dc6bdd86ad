import { assert, describe, it } from "@effect/vitest"
import { fold, isSought, parseSearch, searchWords } from "@wcs/domain/shared/SearchWords"
import * as fc from "fast-check"

/** Every code point, but few of the ideographs and Hangul syllables, which are alike. */
const codePoints = Array.from({ length: 0x110000 }, (_, point) => point).filter(
  (point) =>
    (point < 0xd800 || point > 0xdfff) &&
    (!/[\p{Script=Han}\p{Lo}\p{Co}\p{Cn}]/u.test(String.fromCodePoint(point)) || point % 97 === 0)
)

const letters = [
  "a",
  "B",
  "é",
  "ễ",
  "Đ",
  "ø",
  "Ł",
  "ß",
  "ẞ",
  "Æ",
  "ı",
  "İ",
  "ς",
  "Σ",
  "ᾳ",
  "ﬁ",
  "Ｊ",
  "山",
  "か",
  "ガ",
  "김",
  "1"
]
const joiners = ["'", "’", "ʼ", "´", "-", "‐", "–", "\u{ad}", "\u{301}", "\u{200d}"]
const name = fc.string({
  unit: fc.constantFrom(...letters, ...joiners, " ", "  ", ".", ","),
  minLength: 1,
  maxLength: 30
})

const finds = (text: string, names: ReadonlyArray<string>, ids: ReadonlyArray<string> = []): boolean => {
  const sought = parseSearch(text)
  return sought !== undefined && isSought(searchWords(names, ids), sought)
}

describe("fold", () => {
  it("is idempotent, and ignores letter case and composition, for every character", () => {
    for (const point of codePoints) {
      const text = String.fromCodePoint(point)
      const folded = fold(text)
      const shown = point.toString(16)
      assert.strictEqual(fold(folded), folded, shown)
      assert.strictEqual(fold(text.toUpperCase()), folded, shown)
      assert.strictEqual(fold(text.toLowerCase()), folded, shown)
      assert.strictEqual(fold(text.normalize("NFC")), folded, shown)
      assert.strictEqual(fold(text.normalize("NFD")), folded, shown)
    }
  }, 300_000)

  it("is idempotent, and ignores letter case and composition, for every text", () => {
    fc.assert(
      fc.property(fc.oneof(name, fc.string({ unit: "grapheme" })), (text) => {
        const folded = fold(text)
        for (const other of [
          folded,
          text.toUpperCase(),
          text.toLowerCase(),
          text.normalize("NFC"),
          text.normalize("NFD")
        ]) {
          assert.strictEqual(fold(other), folded)
        }
      })
    )
  })
})

describe("a search", () => {
  it("finds a name by any beginning of any of its words, in any order", () => {
    fc.assert(
      fc.property(name, fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 3 }), (text, drawn) => {
        const words = text.split(/[\s.,]+/u).filter((word) => parseSearch(word) !== undefined)
        fc.pre(words.length > 0)
        const beginnings = drawn.flatMap(([which, length]) => {
          const characters = Array.from(words[which % words.length] ?? "")
          const beginning = characters.slice(0, 1 + (length % characters.length)).join("")
          return parseSearch(beginning) === undefined ? [] : [beginning]
        })
        fc.pre(beginnings.length > 0)
        const asked = beginnings.join("  ")
        for (const form of [asked, asked.normalize("NFD"), asked.toUpperCase(), ` ${asked} `]) {
          assert.isTrue(finds(form, [text]), JSON.stringify([form, text]))
        }
      }),
      { numRuns: 2000 }
    )
  })

  it("finds an id without its letter case, spaces and hyphens", () => {
    const id = fc.string({ unit: fc.constantFrom("a", "B", "7", "0", "-", " ", "–"), minLength: 1, maxLength: 12 })
    const spread = (text: string, every: number) =>
      Array.from(text)
        .flatMap((each, index) => (index % every === 0 ? ["-", each] : [each]))
        .join("")
    fc.assert(
      fc.property(id, fc.integer({ min: 1, max: 4 }), (text, every) => {
        fc.pre(parseSearch(text) !== undefined)
        for (const form of [text, text.toLowerCase(), text.replaceAll(/[\s\p{Pd}]/gu, ""), spread(text, every)]) {
          assert.isTrue(finds(form, [], [text]), JSON.stringify([form, text]))
        }
      })
    )
  })

  it.each([
    ["nguyen", "Nguyễn Thị Hồng"],
    ["Hồng", "Nguyễn Thị Hồng"],
    ["hong ng", "Nguyễn Thị Hồng"],
    ["o'brien", "Seán O’Brien"],
    ["obrien", "Seán O‘Brien"],
    ["brien", "Seán OʼBrien"],
    ["anne marie", "Anne‐Marie"],
    ["anne-marie", "Anne Marie"],
    ["strauss", "Strauß"],
    ["lukasz", "Łukasz"],
    ["isik", "Işık"],
    ["太郎", "山田太郎"],
    ["철수", "김철수"],
    ["ada", "ＡＤＡ"]
  ])("for %j finds %j", (text, found) => {
    assert.isTrue(finds(text, [found]))
  })

  it.each([
    ["guyen", "Nguyễn"],
    ["nguyen bao", "Nguyễn Thị Hồng"],
    ["obrienx", "O'Brien"]
  ])("for %j does not find %j", (text, other) => {
    assert.isFalse(finds(text, [other]))
  })

  it.each(["", " ", "%", "'", "-", "\u{301}", "\0", "\ud800"])("for %j finds nothing", (text) => {
    assert.isUndefined(parseSearch(text))
  })

  it("threat 43: has bounded words, and few per query", () => {
    const long = Array.from({ length: 2000 }, (_, n) => `w${n}`).join(" ")
    assert.isAtMost(searchWords([long, "山".repeat(2000)], []).length, 256)
    assert.isAtMost(Math.max(...searchWords(["x".repeat(2000)], ["y".repeat(2000)]).map((word) => word.length)), 40)
    assert.isAtMost(parseSearch(long)?.flat().length ?? 0, 17)
    assert.isTrue(finds("x".repeat(100), ["x".repeat(200)]))
  })
})
