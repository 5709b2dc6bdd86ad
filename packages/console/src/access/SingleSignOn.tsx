import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { AddLink } from "../widgets/AddLink.tsx"
import { Badge } from "../widgets/Badge.tsx"

/** The protocols, as administrators know them. */
export const protocolNames = { saml: "SAML 2.0", oidc: "OpenID Connect" } as const

const list: ListKind<"GET /identity-providers"> = {
  list: "GET /identity-providers",
  title: "Single sign-on",
  file: "identity-providers",
  columns: [
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
  ],
  empty: "There are no identity providers.",
  next: "Add one, and your users log in through your own directory."
}

/** The identity providers of the organization. */
export const SingleSignOn = () => (
  <ListScreen
    kind={list}
    actions={
      <AddLink privilege="identityProvider:CREATE" href="/console/single-sign-on/new">
        Add an identity provider
      </AddLink>
    }
  />
)
