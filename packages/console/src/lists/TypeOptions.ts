import { readWhole, useRead, useReadOf } from "../calls/Queries.ts"
import type { Options } from "../records/Edited.ts"

/** The types of credentials by their names. */
export const useTypeOptions = (): Options =>
  useRead("GET /credential-types", {}).data?.data.map(({ code, displayName }) => [code, displayName] as const) ?? []

const readPackages = () => readWhole("GET /screening-packages", { sort: "name:asc" })

/** All screening packages that are not deleted, by name. */
const usePackages = () => useReadOf("/screening-packages", readPackages).data ?? []

/** The screening packages that new recruitment checks can use, by name. */
export const usePackageOptions = (): Options =>
  usePackages().flatMap(({ active, code, name }) => (active ? [[code, name] as const] : []))

/** All screening packages that are not deleted, by name. */
export const useAnyPackageOptions = (): Options => usePackages().map(({ code, name }) => [code, name] as const)
