import { fields } from "@wcs/console/imports/Steps"
import { lostFields } from "@wcs/console/merging/LostFields"
import { assert, it } from "vitest"

const kept = { identity: { displayName: "Ann" } }

/** A record with one field. */
const withField = (path: string): object =>
  path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), "x") as object

it("names each field that only the merged record has", () => {
  for (const [path, label] of Object.entries(fields)) {
    if (path === "identity.displayName" || path === "unit.externalId") continue
    assert.deepStrictEqual(lostFields(kept, withField(path)), [label])
    assert.deepStrictEqual(lostFields(withField(path), withField(path)), [])
  }
  assert.deepStrictEqual(lostFields(kept, { unit: { id: "unt_1" } }), ["Unit"])
})
