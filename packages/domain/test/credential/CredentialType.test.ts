import { assert, describe, it } from "@effect/vitest"
import { catalogue, check, codes, find, jurisdictions } from "@wcs/domain/credential/CredentialType"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"

const states = ["NSW", "VIC", "QLD", "SA", "WA", "TAS", "ACT", "NT"]

describe("CredentialType", () => {
  it("has the codes of DECISIONS.md#fields, each once", () => {
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
        "FIRST_AID"
      ]
    )
  })

  it("says of each where it is issued, and that is what its code says", () => {
    for (const { code, jurisdiction } of catalogue) {
      assert.include(jurisdictions, jurisdiction)
      const named = states.find((state) => code.endsWith(`_${state}`))
      assert.strictEqual(jurisdiction, named ?? "NATIONAL")
    }
  })

  it("can have all of them verified but first aid, a person deciding in the ACT alone", () => {
    assert.deepStrictEqual(
      catalogue.filter(({ verifiable }) => !verifiable).map(({ code }) => code),
      ["FIRST_AID"]
    )
    assert.deepStrictEqual(
      catalogue.filter(({ manual }) => manual).map(({ code }) => code),
      ["WWVP_ACT"]
    )
  })

  it("is strict in New South Wales and with AHPRA alone, where the register's format is sure", () => {
    assert.sameMembers(
      catalogue.filter(({ identifier }) => identifier?.strict).map(({ code }) => code),
      ["WWCC_NSW", "AHPRA_REGISTRATION"]
    )
  })

  it("finds a kind by its code and by nothing else", () => {
    for (const row of catalogue) assert.strictEqual(find(row.code), row)
    for (const text of ["", "wwcc_nsw", "wwcc-nsw", "WWCC", "WWCC_NSW ", "constructor"]) assert.isUndefined(find(text))
  })

  const accepted: ReadonlyArray<readonly [code: string, identifier: string]> = [
    ["WWCC_NSW", "WWC1234567E"],
    ["WWCC_NSW", "WWC0000000V"],
    ["WWCC_NSW", "APP123456"],
    ["WWCC_NSW", "APP1234567890"],
    ["AHPRA_REGISTRATION", "MED0001234567"],
    ["POLICE_CHECK_NATIONAL", "whatever it says"],
    ["FIRST_AID", "whatever it says"],
    ["WWCC_VIC", "1234567A-01"],
    ["NDIS_WORKER_SCREENING", "12345678"]
  ]
  it.each(accepted)("%s takes %s without a remark", (credentialType, identifier) => {
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
  it.each(refused)("%s refuses %j, naming the field and the form, not the value", (credentialType, identifier) => {
    const outcome = check({ credentialType, identifier })
    assert.instanceOf(outcome, InvalidArgument)
    if (!(outcome instanceof InvalidArgument)) return
    assert.strictEqual(outcome.field, "attributes.identifier")
    assert.match(outcome.reason, /digits/)
    assert.notInclude(outcome.reason, identifier.trim())
  })

  it("remarks on an unusual identifier where the format is not sure", () => {
    for (const row of catalogue.filter(({ identifier }) => identifier?.strict === false)) {
      const remarks = check({ credentialType: row.code, identifier: "?!" })
      assert.isTrue(Array.isArray(remarks) && remarks.length === 1)
      assert.include(String(remarks), `attributes.identifier is unusual for ${row.code}`)
    }
  })

  it("ENV-05: asks for an identifier wherever something can be verified", () => {
    for (const { code, verifiable } of catalogue) {
      const outcome = check({ credentialType: code })
      assert.strictEqual(outcome instanceof InvalidArgument, verifiable)
      if (outcome instanceof InvalidArgument) assert.strictEqual(outcome.field, "attributes.identifier")
    }
  })

  it.each([{}, { credentialType: "LICENCE" }, { credentialType: 7 }, { credentialType: null }])(
    "refuses what is no known kind: %j",
    (attributes) => {
      const outcome = check(attributes)
      assert.strictEqual(outcome instanceof InvalidArgument ? outcome.field : "", "attributes.credentialType")
    }
  )
})
