import type { Stored } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"

/** A stored resource with these fields. */
export const stored = <Fields extends JsonObject>(fields: Fields, overrides: Partial<Stored> = {}): Stored<Fields> => ({
  id: "cap_00000000000000aa",
  version: 4,
  createdAt: 0,
  updatedAt: 0,
  deletedAt: null,
  ...overrides,
  fields
})

/** Removes undefined values from an object. */
export const given = <Values extends object>(values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
