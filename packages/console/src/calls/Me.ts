import type { Data } from "./Contract.ts"
import { useRead } from "./Queries.ts"

/** The person who is logged in. */
export type Me = Data<"GET /me">

/** A privilege, such as `worker:READ`. */
export type Privilege = Me["privileges"][number]

/** The person who is logged in; undefined until the first answer. */
export const useMe = (): Me | undefined => useRead("GET /me", {}).data?.data

/** Whether the person has a privilege. The server decides again at each call. */
export const useMay = (): ((privilege: Privilege) => boolean) => {
  const me = useMe()
  return (privilege) => me?.privileges.includes(privilege) ?? false
}
