import { useRead } from "../calls/Queries.ts"
import type { Options } from "../records/Edited.ts"

/** The types of credentials by their names. */
export const useTypeOptions = (): Options =>
  useRead("GET /credential-types", {}).data?.data.map(({ code, displayName }) => [code, displayName] as const) ?? []

/** The screening packages that new recruitment checks can use, by name. */
export const usePackageOptions = (): Options =>
  useRead("GET /screening-packages", { query: { active: "true", pageSize: "100", sort: "name:asc" } }).data?.data.map(
    ({ code, name }) => [code, name] as const
  ) ?? []

/** All screening packages that are not deleted, by name. */
export const useAnyPackageOptions = (): Options =>
  useRead("GET /screening-packages", { query: { pageSize: "100", sort: "name:asc" } }).data?.data.map(
    ({ code, name }) => [code, name] as const
  ) ?? []
