import { assert, describe, it } from "@effect/vitest"
import {
  catalogue,
  check,
  codes,
  find,
  isBeyondLife,
  jurisdictions,
  missingFrom,
  shown
} from "@wcs/domain/holding/CredentialType"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"

const states = ["NSW", "VIC", "QLD", "SA", "WA", "TAS", "ACT", "NT"]

describe("CredentialType", () => {
  it("has each code of DECISIONS.md#fields once", () => {
    assert.sameMembers(
      [...codes],
      [
        "WWCC_NSW",
        "WWCC_VIC",
        "WWCC_SA",
        "WWCC_WA",
        "BLUE_CARD_QLD",
        "WWVP_TAS",
        "WWVP_ACT",
        "OCHRE_CARD_NT",
        "NDIS_WORKER_SCREENING",
        ...states.map((state) => `TEACHER_REGISTRATION_${state}`),
        "AHPRA_REGISTRATION",
        "POLICE_CHECK_NATIONAL",
        "POLICE_CHECK_INTERNATIONAL",
        "RIGHT_TO_WORK",
        "EXEMPTION_CARD_QLD",
        "FIRST_AID"
      ]
    )
  })

  it("has the jurisdiction of each type, as in its code", () => {
    for (const { code, jurisdiction } of catalogue) {
      assert.include(jurisdictions, jurisdiction)
      const named = states.find((state) => code.endsWith(`_${state}`))
      assert.strictEqual(jurisdiction, named ?? "NATIONAL")
    }
  })

  it("R11: verifies all types except first aid, and by a person only what has no register", () => {
    assert.deepStrictEqual(
      catalogue.filter(({ verifiable }) => !verifiable).map(({ code }) => code),
      ["FIRST_AID"]
    )
    assert.deepStrictEqual(
      catalogue.filter(({ manual }) => manual).map(({ code }) => code),
      ["WWVP_ACT", "TEACHER_REGISTRATION_ACT", "POLICE_CHECK_INTERNATIONAL"]
    )
  })

  // The table of DECISIONS.md#registers.
  const published: ReadonlyArray<
    readonly [code: string, askedWith: string, validYears: number | null, renews: string]
  > = [
    ["WWCC_NSW", "identifier holder.lastName holder.birthDate", 5, "itself"],
    ["WWCC_VIC", "identifier holder.lastName", 5, "unknown"],
    ["WWCC_SA", "identifier holder.lastName", 5, "unknown"],
    ["WWCC_WA", "identifier holder.lastName", 3, "itself"],
    ["BLUE_CARD_QLD", "identifier holder.firstName holder.lastName expiryDate", 3, "anew"],
    ["WWVP_TAS", "identifier holder.lastName", 5, "unknown"],
    ["WWVP_ACT", "", 5, "unknown"],
    ["OCHRE_CARD_NT", "identifier holder.firstName holder.lastName holder.birthDate", 2, "unknown"],
    ["NDIS_WORKER_SCREENING", "identifier", 5, "unknown"],
    ["TEACHER_REGISTRATION_NSW", "identifier", null, "unknown"],
    ["TEACHER_REGISTRATION_ACT", "", null, "unknown"],
    ["AHPRA_REGISTRATION", "identifier", null, "unknown"],
    ["POLICE_CHECK_NATIONAL", "identifier", null, "unknown"],
    ["FIRST_AID", "", null, "unknown"],
    ["POLICE_CHECK_INTERNATIONAL", "", null, "unknown"],
    ["RIGHT_TO_WORK", "identifier issuingCountry holder.lastName holder.birthDate", null, "unknown"],
    ["EXEMPTION_CARD_QLD", "identifier holder.firstName holder.lastName expiryDate", null, "unknown"]
  ]
  it.each(published)("R2, R4, R8: %s is asked with “%s”, is valid for %s years and renews %s", (code, ...row) => {
    const { askedWith, renews, validYears } = shown.find((type) => type.code === code) ?? {}
    assert.deepStrictEqual([askedWith?.join(" "), validYears, renews ?? "unknown"], row)
  })

  it.each([
    ["POLICE_CHECK_INTERNATIONAL", ["identifier", "issuingCountry"]],
    ["RIGHT_TO_WORK", ["identifier", "issuingCountry"]],
    ["EXEMPTION_CARD_QLD", ["identifier"]]
  ] as const)("R12: people also hold a %s, which must have %j", (code, required) => {
    assert.deepStrictEqual(shown.find((type) => type.code === code)?.requiredFields, [...required])
  })

  it.each([
    ["WWCC_NSW", "2031-06-23", false],
    ["WWCC_NSW", "2031-06-24", true],
    ["OCHRE_CARD_NT", "2028-06-23", false],
    ["OCHRE_CARD_NT", "2028-06-24", true],
    ["AHPRA_REGISTRATION", "2099-01-01", false],
    ["unknown", "2099-01-01", false]
  ] as const)("R4: a %s until %s is beyond the life of any card, seen on 3 March 2026: %s", (code, until, isBeyond) => {
    assert.strictEqual(isBeyondLife(code, until, "2026-03-03"), isBeyond)
  })

  it("R2: a value of null is as missing as an absent one", () => {
    const asked = { identifier: "123456/1", holder: { firstName: null, lastName: "Example" } }
    assert.deepStrictEqual(missingFrom("BLUE_CARD_QLD", asked), ["holder.firstName", "expiryDate"])
    assert.deepStrictEqual(missingFrom("FIRST_AID", {}), [])
    assert.deepStrictEqual(missingFrom("unknown", {}), [])
  })

  it("is strict only for New South Wales and AHPRA, whose formats are certain", () => {
    assert.sameMembers(
      catalogue.filter(({ identifier }) => identifier?.strict).map(({ code }) => code),
      ["WWCC_NSW", "AHPRA_REGISTRATION"]
    )
  })

  it("finds a type only by its code", () => {
    for (const row of catalogue) assert.strictEqual(find(row.code), row)
    for (const text of ["", "wwcc_nsw", "wwcc-nsw", "WWCC", "WWCC_NSW ", "constructor"]) assert.isUndefined(find(text))
  })

  const accepted: ReadonlyArray<readonly [code: string, identifier: string]> = [
    ["WWCC_NSW", "WWC1234567E"],
    ["WWCC_NSW", "WWC0000000V"],
    ["WWCC_NSW", "APP123456"],
    ["WWCC_NSW", "APP1234567890"],
    ["AHPRA_REGISTRATION", "MED0001234567"],
    ["POLICE_CHECK_NATIONAL", "any text"],
    ["FIRST_AID", "any text"],
    ["WWCC_VIC", "1234567A-01"],
    ["NDIS_WORKER_SCREENING", "12345678"]
  ]
  it.each(accepted)("%s accepts %s without a warning", (credentialType, identifier) => {
    assert.deepStrictEqual(check({ credentialType, identifier }), [])
  })

  const refused: ReadonlyArray<readonly [code: string, identifier: string]> = [
    ["WWCC_NSW", "WWC123456E"],
    ["WWCC_NSW", "WWC12345678E"],
    ["WWCC_NSW", "WWC1234567X"],
    ["WWCC_NSW", "wwc1234567e"],
    ["WWCC_NSW", " WWC1234567E"],
    ["WWCC_NSW", "WWC1234567E\n"],
    ["WWCC_NSW", "APP12345"],
    ["WWCC_NSW", "APP12345678901"],
    ["WWCC_NSW", "XWWC1234567E"],
    ["AHPRA_REGISTRATION", "MED000123456"],
    ["AHPRA_REGISTRATION", "MED00012345678"],
    ["AHPRA_REGISTRATION", "med0001234567"]
  ]
  it.each(refused)("%s refuses %j and names the field and the format, not the value", (credentialType, identifier) => {
    const outcome = check({ credentialType, identifier })
    assert.instanceOf(outcome, InvalidArgument)
    if (!(outcome instanceof InvalidArgument)) return
    assert.strictEqual(outcome.field, "attributes.identifier")
    assert.match(outcome.reason, /digits/)
    assert.notInclude(outcome.reason, identifier.trim())
  })

  it("warns about an unusual identifier if the format is not certain", () => {
    for (const row of catalogue.filter(({ identifier }) => identifier?.strict === false)) {
      const remarks = check({ credentialType: row.code, identifier: "?!", issuingCountry: "NZ" })
      assert.isTrue(Array.isArray(remarks) && remarks.length === 1)
      assert.include(String(remarks), `attributes.identifier is unusual for ${row.code}`)
    }
  })

  it("ENV-05: requires an identifier for every verifiable type", () => {
    for (const { code, verifiable } of catalogue) {
      const outcome = check({ credentialType: code })
      assert.strictEqual(outcome instanceof InvalidArgument, verifiable)
      if (outcome instanceof InvalidArgument) assert.strictEqual(outcome.field, "attributes.identifier")
    }
  })

  it.each([{}, { credentialType: "LICENCE" }, { credentialType: 7 }, { credentialType: null }])(
    "refuses the unknown type %j",
    (attributes) => {
      const outcome = check(attributes)
      assert.strictEqual(outcome instanceof InvalidArgument ? outcome.field : "", "attributes.credentialType")
    }
  )
})
