import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { AddLink } from "../widgets/AddLink.tsx"
import { Badge } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { Listing } from "../widgets/Listing.tsx"
import type { Column } from "../widgets/Table.tsx"

type Provider = Item<"GET /identity-providers">

/** The protocols, as administrators know them. */
export const protocolNames = { saml: "SAML 2.0", oidc: "OpenID Connect" } as const

const columns: ReadonlyArray<Column<Provider>> = [
  { heading: "Name", cell: ({ id, name }) => <a href={`/console/single-sign-on/${id}`}>{name}</a> },
  { heading: "Protocol", cell: ({ kind }) => protocolNames[kind] },
  {
    heading: "State",
    cell: ({ active, oidc, required, saml }) => (
      <>
        {oidc === undefined && saml === undefined ? <Badge value="VALUES MISSING" tone="wait" /> : null}{" "}
        <Badge value={active ? "ON" : "OFF"} tone={active ? "good" : "plain"} />{" "}
        {required ? <Badge value="REQUIRED" tone="wait" /> : null}
      </>
    )
  },
  {
    heading: "Verified domains",
    cell: ({ verifiedDomains }) => (verifiedDomains.length === 0 ? "none" : verifiedDomains.join(", "))
  },
  {
    heading: "Certificates",
    cell: ({ certificates }) =>
      certificates.map(({ fingerprint, validity }) => <Badge key={fingerprint} value={validity} />)
  }
]

/** The identity providers of the organization. */
export const SingleSignOn = () => {
  const [{ cursor }] = useUrlState()
  const read = useRead("GET /identity-providers", { query: { cursor, pageSize: "50", includeTotal: "true" } })
  return (
    <Screen
      title="Single sign-on"
      actions={
        <AddLink privilege="identityProvider:CREATE" href="/console/single-sign-on/new">
          Add an identity provider
        </AddLink>
      }
    >
      <Listing
        read={read}
        caption="Identity providers"
        columns={columns}
        empty={
          <Empty title="There are no identity providers.">
            <p>Add one, and your users log in through your own directory.</p>
          </Empty>
        }
      />
    </Screen>
  )
}
