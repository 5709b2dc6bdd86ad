import { assert, describe, it } from "@effect/vitest"
import { consentFaults } from "@wcs/domain/answer/AnswerForm"
import { DocumentsFull, documentLimits } from "@wcs/domain/document/Document"
import { makeInspection, pixelsMax } from "@wcs/domain/document/DocumentForm"
import * as CredentialType from "@wcs/domain/holding/CredentialType"
import { cardsOf, detailsOfCard, detailsOfPerson, nameOfDetail } from "@wcs/domain/screening/AnswerEntry"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import type { Path } from "@wcs/domain/shared/Json"
import { words } from "@wcs/http/answer/PageLanguages"
import { Result } from "effect"

const today = "2026-01-31"

/** What a person can enter wrongly in any field. */
const wrong = ["", "x", "x".repeat(101), "a\u0007b", "\ud800", "2999-01-01", "1800-01-01", "2023-02-29", "soon", "12"]

const right: Readonly<Record<string, string>> = {
  birthDate: "1990-02-03",
  expiryDate: "2031-01-31",
  issuingCountry: "NZ"
}

/** Every reason that a field of a form can get, by the path of its detail. */
const reasons = CredentialType.catalogue.flatMap(({ code }) => {
  const fields = [
    ...detailsOfCard(code).map(({ path }) => [path, nameOfDetail(path, code)] as const),
    ...detailsOfPerson([code]).map(({ path }) => [path, nameOfDetail(path)] as const)
  ]
  const faultsOf = (path: Path, name: string, value: string) => {
    const entered = (other: string) => (other === name ? value : (right[other.split(".").at(-1) ?? ""] ?? "1"))
    const faults = Result.match(cardsOf([code], entered, today), { onFailure: (all) => all, onSuccess: () => [] })
    return faults.flatMap(({ field, reason }) => (field === name ? [{ path: path.join("."), reason }] : []))
  }
  return fields.flatMap(([path, name]) => wrong.flatMap((value) => faultsOf(path, name, value)))
})

const isOfOneText = (one: string): boolean => one.includes("control characters") || one.includes("well-formed")

describe("the words of the page in German", () => {
  const { de } = words

  it("say of each field what is wrong with it", () => {
    const told = new Map<string, string>()
    for (const { path, reason } of reasons) {
      const german = de.reason(path, reason)
      assert.notStrictEqual(german, "ist nicht gültig", reason)
      assert.isTrue(told.get(german) === undefined || told.get(german) === reason || isOfOneText(reason), reason)
      told.set(german, reason)
    }
    assert.isAtLeast(told.size, 8)
    assert.strictEqual(
      de.reason("holder.birthDate", "must not be before 1904-01-01"),
      "darf nicht vor dem 01.01.1904 liegen"
    )
    const consents = Object.values(consentFaults).map(({ reason }) => de.reason("consent", reason))
    assert.lengthOf(new Set(consents), 2)
  })

  it("say of each file why it was refused, as those in English do", () => {
    const refusalOf = (...pieces: ReadonlyArray<string | Uint8Array>) => {
      const { add, end } = makeInspection()
      for (const piece of pieces) {
        const added = add(typeof piece === "string" ? Buffer.from(piece, "latin1") : piece)
        if (Result.isFailure(added)) return added.failure
      }
      return Result.match(end(), { onFailure: (refusal) => refusal, onSuccess: () => assert.fail("no refusal") })
    }
    const header = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
    const refusals = [
      refusalOf(),
      refusalOf("<svg/>"),
      refusalOf("%PDF-1.7\n"),
      refusalOf(`%PDF-1.7\nstartxref\n%%EOF PK\x05\x06${"\0".repeat(18)}`),
      refusalOf(header + Buffer.from(Uint32Array.of(pixelsMax, pixelsMax).buffer).toString("latin1")),
      new InvalidArgument({ field: "file", reason: `must have at most ${documentLimits.bytes} bytes` }),
      new InvalidArgument({ field: "card", reason: "must be a card of the answer" }),
      new DocumentsFull({ limit: "record", most: documentLimits.ofRecord }),
      new DocumentsFull({ limit: "tenant", most: 20_000 })
    ]
    for (const { files } of Object.values(words)) {
      const told = refusals.map(files.reason)
      assert.lengthOf(new Set(told), refusals.length)
      for (const text of told) assert.notMatch(text, /\d{5}|^file|documents/)
    }
  })
})
