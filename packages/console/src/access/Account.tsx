import { useMe } from "../calls/Me.ts"

/** The name by which people know the account with this URN. */
export const Account = ({ urn }: { readonly urn: string | null | undefined }) => {
  const me = useMe()
  if (urn === null || urn === undefined) return <span class="quiet">the operator</span>
  if (urn === "urn:wcs:server") return <span class="quiet">the server</span>
  return urn === me?.account ? <span>you</span> : <code>{urn.slice(urn.lastIndexOf(":") + 1)}</code>
}
