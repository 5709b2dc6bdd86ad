import { useMay, useMe } from "../calls/Me.ts"
import { useRead } from "../calls/Queries.ts"

/** The names of the first users by account id, for those who may read them. */
export const useUserNames = (): ReadonlyMap<string, string> => {
  const users = useRead("GET /users", { query: { pageSize: "100" } }, { isWanted: useMay()("user:READ") })
  return new Map(
    (users.data?.data ?? []).map(({ email, firstName, id, surname }) => [
      id,
      [firstName, surname].join(" ").trim() || email
    ])
  )
}

/** The name by which people know the account with this URN. */
export const Account = ({ urn }: { readonly urn: string | null | undefined }) => {
  const me = useMe()
  const names = useUserNames()
  if (urn === null || urn === undefined) return <span class="quiet">the operator</span>
  if (urn === "urn:wcs:server") return <span class="quiet">the server</span>
  const id = urn.slice(urn.lastIndexOf(":") + 1)
  return urn === me?.account ? <span>you</span> : <span>{names.get(id) ?? <code>{id}</code>}</span>
}
