import type { Profile } from "@wcs/conformance/profile/Profile"
import { at } from "@wcs/conformance/text/Json"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

const paths = { accessToken: "/access-tokens", apiClient: "/api-clients" } as const
const names = { accessToken: "token", apiClient: "clientSecret" } as const

const withPlaces = ({ groups = {}, ...profile }: Profile): Profile => ({
  ...profile,
  groups: {
    ...groups,
    ...Object.fromEntries(
      (["accessToken", "apiClient"] as const).flatMap((type) => {
        const { create, ...group } = groups[type] ?? {}
        return create === undefined ? [] : [[type, { ...group, create: { ...create, secret: "data.value" } }]]
      })
    )
  }
})

const moved = (type: keyof typeof paths) =>
  Rewrite.answers({ method: "POST", path: new RegExp(`^${paths[type]}$`), status: 201 }, (answer) =>
    Rewrite.mapJson((body) =>
      Rewrite.put(Rewrite.put(body, "data.value", at(body, `data.${names[type]}`)), `data.${names[type]}`, undefined)
    )(answer)
  )

/** Another field name for the secrets of users' tokens and clients. */
export const issuedSecretVariants: ReadonlyArray<Variant> = [
  variant("tokens-and-client-secrets-have-another-name", ["AUT-13", "OAU-23"]).by({
    rewrite: Rewrite.all(moved("accessToken"), moved("apiClient")),
    profile: withPlaces
  })
]
