import { withCredentialLabels, withLabels } from "@wcs/console/records/FieldLabels"
import { assert, it } from "vitest"

it("names fields by their labels", () => {
  assert.strictEqual(
    withLabels("attributes.identifier is required. identity.displayName must be text. source.other is too long."),
    "“Identifier” is required. “Display name” must be text. source.other is too long."
  )
})

it("leaves other words alone", () => {
  assert.strictEqual(withLabels("The name is taken by name."), "The name is taken by name.")
})

it("names the missing fields of a credential by their labels", () => {
  assert.strictEqual(
    withCredentialLabels("It is not asked, because these are missing: holder.lastName, expiryDate. See nsw.gov.au."),
    "It is not asked, because these are missing: Last name of the holder, Expires. See nsw.gov.au."
  )
})
