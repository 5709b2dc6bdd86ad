import type { CredentialFields } from "@wcs/domain/holding/Credential"
import type { Stored } from "@wcs/domain/resource/Resource"

type Attributes = CredentialFields["attributes"]

export const fieldsWith = (attributes: Partial<Attributes> = {}): CredentialFields => ({
  attributes: {
    credentialType: "WWCC_NSW",
    identifier: "WWC1234567E",
    holder: { firstName: "Ann", lastName: "Example", birthDate: "1990-04-01" },
    owners: { worker: "wkr_0123456789abcDEF", applicant: null },
    ...attributes
  }
})

export const storedWith = (
  attributes: Partial<Attributes> = {},
  overrides: Partial<Stored<CredentialFields>> = {}
): Stored<CredentialFields> => ({
  id: "cred_0123456789abcDEF",
  version: 3,
  createdAt: 0,
  updatedAt: 0,
  deletedAt: null,
  fields: fieldsWith(attributes),
  ...overrides
})
