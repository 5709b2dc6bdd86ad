import { assert, describe, it } from "@effect/vitest"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import { catalogue, codes } from "@wcs/domain/holding/CredentialType"
import { codeOfType, match, type Scan, scanOutcomes, statusOf } from "@wcs/domain/holding/Scan"
import { storedWith } from "../credential/CredentialFixtures.ts"

const credential = (holder: CredentialFields["attributes"]["holder"]) =>
  storedWith(holder === undefined ? {} : { holder })

describe("Scan: type", () => {
  it("accepts a catalogue code or its lower-case form with dashes", () => {
    for (const code of codes) {
      assert.strictEqual(codeOfType(code), code)
      assert.strictEqual(codeOfType(code.toLowerCase().replaceAll("_", "-")), code)
    }
    assert.strictEqual(codeOfType("wwcc-nsw"), "WWCC_NSW")
    assert.strictEqual(codeOfType("teacher-registration-act"), "TEACHER_REGISTRATION_ACT")
  })

  it.each(["", "wwcc_nsw", "WWCC-NSW", "Wwcc-nsw", "wwcc-nsw ", "wwcc", "nope", "__proto__", "constructor"])(
    "refuses %j",
    (type) => assert.isUndefined(codeOfType(type))
  )
})

describe("Scan: outcome", () => {
  const zoe = { firstName: "Zoë", middleName: "M", lastName: "O'Neil Smith" }
  const matched = { outcome: "MATCHED", credentialId: "cred_0123456789abcDEF" } as const
  const outcome = (name: Scan["outcome"]) => ({ outcome: name, credentialId: null })

  const rows: ReadonlyArray<readonly [string, string, CredentialFields["attributes"]["holder"], Scan["outcome"]]> = [
    ["Zoë", "O'Neil Smith", zoe, "MATCHED"],
    ["ZOË", "o'neil  SMITH ", zoe, "MATCHED"],
    ["Zoe\u0308", "O'Neil\u00a0Smith", zoe, "MATCHED"],
    ["Zoë", "O’Neil Smith", zoe, "MATCHED"],
    ["Zoë", "Oʼneil Smith", zoe, "MATCHED"],
    ["Zoë‐Ann", "O´Neil Smith", { ...zoe, firstName: "Zoë-Ann" }, "MATCHED"],
    ["Zoë–Ann", "O'Neil Smith", { ...zoe, firstName: "Zoë‑Ann" }, "MATCHED"],
    ["Zoë Ann", "O'Neil Smith", { ...zoe, firstName: "Zoë-Ann" }, "NAME_DIFFERS"],
    ["Zoe", "O'Neil Smith", zoe, "NAME_DIFFERS"],
    ["Zoë", "ONeil Smith", zoe, "NAME_DIFFERS"],
    ["Zoë M", "O'Neil Smith", zoe, "NAME_DIFFERS"],
    ["O'Neil Smith", "Zoë", zoe, "NAME_DIFFERS"],
    ["", "", zoe, "NAME_DIFFERS"],
    ["Zoë", "O'Neil Smith", { lastName: "O'Neil Smith" }, "NAME_DIFFERS"],
    ["Zoë", "O'Neil Smith", { firstName: "Zoë" }, "NAME_DIFFERS"],
    ["", "", {}, "NAME_DIFFERS"],
    ["undefined", "undefined", {}, "NAME_DIFFERS"],
    ["Zoë", "O'Neil Smith", undefined, "NAME_DIFFERS"]
  ]
  it.each(rows)("for %j %j and %j: %s", (first_name, surname, holder, expected) => {
    const found = match({ first_name, surname }, [credential(holder)])
    assert.deepStrictEqual(found, expected === "MATCHED" ? matched : outcome(expected))
  })

  it("does not depend on the name without a credential or with several", () => {
    const asked = { first_name: "Zoë", surname: "O'Neil Smith" }
    assert.deepStrictEqual(match(asked, []), outcome("NO_CREDENTIAL"))
    assert.deepStrictEqual(match(asked, [credential(zoe), credential(zoe)]), outcome("SEVERAL_CREDENTIALS"))
    assert.deepStrictEqual(match(asked, [credential(zoe), credential({})]), outcome("SEVERAL_CREDENTIALS"))
  })
})

describe("Scan: status", () => {
  it.each([
    ["WWCC_NSW", "MATCHED", "queued"],
    ["WWCC_NSW", "NO_CREDENTIAL", "unmatched"],
    ["WWCC_NSW", "SEVERAL_CREDENTIALS", "unmatched"],
    ["WWCC_NSW", "NAME_DIFFERS", "unmatched"]
  ] as const)("for %s and %s: %s", (type, outcome, status) => {
    assert.strictEqual(statusOf(type, outcome), status)
  })

  it("is not_verifiable for exactly the types without a register, also without a match", () => {
    for (const { code, verifiable } of catalogue) {
      const statuses = new Set(scanOutcomes.map((outcome) => statusOf(code, outcome)))
      assert.deepStrictEqual([...statuses].includes("not_verifiable"), !verifiable, code)
      if (!verifiable) assert.strictEqual(statuses.size, 1, code)
    }
  })
})
