import { assert, describe, it } from "@effect/vitest"
import { Credential } from "@wcs/domain/holding/Credential"
import { tagAt } from "@wcs/domain/resource/EntityTag"
import { checkPrecondition, isNamed, parseTags, type Tags } from "@wcs/domain/resource/Precondition"
import { Result } from "effect"
import * as fc from "fast-check"
import { storedWith } from "../credential/CredentialFixtures.ts"
import * as arbitraries from "../shared/arbitraries.ts"

const parsed = (text: string) => Result.getOrUndefined(parseTags("If-Match", text))

/** Whether `If-Match` with this text holds for the tag `"1-a"`. */
const matches = (text: string) =>
  Result.isSuccess(checkPrecondition({ match: Result.getOrThrow(parseTags("If-Match", text)) }, () => '"1-a"'))

describe("If-Match (RFC 9110, section 13.1.1)", () => {
  it.each<readonly [string, Tags | undefined]>([
    ["*", "*"],
    [" * ", "*"],
    ['"1-a"', ['"1-a"']],
    ['W/"1-a"', ['W/"1-a"']],
    ['""', ['""']],
    ['"a,b", "c"', ['"a,b"', '"c"']],
    [' , "a" ,, "b", ', ['"a"', '"b"']],
    ["", undefined],
    [",", undefined],
    ["\u00a0*", undefined],
    ["1-a", undefined],
    ['"a" "b"', undefined],
    ['"a', undefined],
    ['"a"b', undefined],
    ['w/"a"', undefined],
    ['*, "a"', undefined],
    ['"a\u0001"', undefined]
  ])("reads %j as %j", (text, tags) => {
    assert.deepStrictEqual(parsed(text), tags)
  })

  it("reads any list of tags as these tags", () => {
    const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
    const tag = fc
      .tuple(fc.constantFrom("", "W/"), fc.array(character.filter((one) => one !== '"')))
      .map(([weak, parts]) => `${weak}"${parts.join("")}"`)
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1 }), (tags) => {
        assert.deepStrictEqual(parsed(tags.join(" , ")), tags)
      })
    )
  })

  it.each([
    ["*", true],
    ['"1-a"', true],
    ['"0-a", "1-a"', true],
    ['"1-A"', false],
    ['"0-a"', false],
    ['W/"1-a"', false],
    // A mail server has refused the address since, or takes it again: nobody has changed the record.
    ['"1-a-unreachable"', true],
    ['"0-a-unreachable"', false],
    ['"1-a-lapsed"', false]
  ])('%s holds for the tag "1-a": %s', (text, holds) => {
    assert.strictEqual(matches(text), holds)
  })

  it("If-None-Match compares weakly (section 13.1.2)", () => {
    const names = ["*", '"1-a"', 'W/"1-a"', '"2-a"'].map((text) => isNamed(parsed(text), '"1-a"'))
    assert.deepStrictEqual(names, [true, true, true, false])
    const refused = ["*", 'W/"1-a"', '"2-a"'].map((text) =>
      Result.isFailure(checkPrecondition({ noneMatch: parsed(text) ?? "*" }, () => '"1-a"'))
    )
    assert.deepStrictEqual(refused, [true, true, false])
  })
})

describe("the tag of a resource", () => {
  const on = { today: "2030-01-01" }

  it("is a strong entity tag, and differs for another version or another time of the change", () => {
    fc.assert(
      fc.property(arbitraries.stored("cred_", arbitraries.credentialFields), fc.integer({ min: 1 }), (row, more) => {
        const { text } = tagAt(Credential, row, on)
        assert.deepStrictEqual(parsed(text), [text])
        assert.notStrictEqual(tagAt(Credential, { ...row, version: row.version + more }, on).text, text)
        assert.notStrictEqual(tagAt(Credential, { ...row, updatedAt: row.updatedAt + more }, on).text, text)
      })
    )
  })

  it("differs once a credential reads as expired, because its document differs", () => {
    const stored = storedWith({ expiryDate: "2030-01-01" })
    const days = ["2030-01-01", "2030-01-02", "2030-01-03"]
    const tags = days.map((today) => tagAt(Credential, stored, { today }).text)
    assert.notStrictEqual(tags[0], tags[1])
    assert.strictEqual(tags[1], tags[2])
  })
})
