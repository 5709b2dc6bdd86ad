import type { Profile } from "@wcs/conformance/profile/Profile"
import { hosts } from "../server/World.ts"
import { type Choice, choice, choicesOf, withoutNeed } from "./Rows.ts"

type Legacy = NonNullable<Profile["legacy"]>

const telling =
  (change: (legacy: Legacy) => Legacy) =>
  (profile: Profile): Profile =>
    profile.legacy === undefined ? profile : { ...profile, legacy: change(profile.legacy) }

const withoutRevoked = (profile: Profile): Profile =>
  withoutNeed(telling(({ revokedToken: _, ...legacy }) => legacy)(profile), "revoked legacy token")

const withoutScan = (profile: Profile): Profile =>
  withoutNeed(telling(({ scan: _, ...legacy }) => legacy)(profile), "scan body")

/** A scan tests missing permissions. */
const scanIsForbidden = telling((legacy) => {
  const { scan, withoutPermission } = legacy
  if (scan === undefined || withoutPermission === undefined) return legacy
  return { ...legacy, withoutPermission: { ...withoutPermission, call: { method: "POST", path: "/scan", body: scan } } }
})

const atTenant = telling((legacy) => ({
  ...legacy,
  baseUrl: `https://${hosts.first}`,
  plainHttpUrl: `http://${hosts.first}`
}))

/** Choices about LEG. */
export const legacyChoices: ReadonlyArray<Choice> = [
  // the server's own: JSON
  choice("legacy errors", "text", ["SIL-18"]),
  choice("more fields in a legacy 401", true, ["LEG-26", "SIL-32"]),
  // the server's own: 403 to both
  choice("Basic on other legacy paths", "401", ["LEG-14"]),
  ...choicesOf("Bearer on the token path", ["accepted", "404"], ["SIL-24", "LEG-31"]),
  // the server's own: accepted
  choice("an unverified user at the token path", "403", ["SIL-24"]),
  choice("an unverified user at users/me", "403", ["SIL-24"]),
  choice("response to a token exchange", "201 with a type", ["SIL-24", "SIL-32"]),
  choice("more fields of a user", true, ["SIL-24", "SIL-32"]),
  choice("legacy tokens of a user", "one", ["LEG-24"]),
  // the server's own: 30 days
  choice("lifetime of legacy tokens", 86_400, ["LEG-08"], {
    profile: telling((legacy) => ({ ...legacy, tokenLifetimeSeconds: 86_400 }))
  }),
  choice("revoked legacy tokens", "none", ["LEG-19", "LEG-31"], { profile: withoutRevoked }),
  choice("a legacy login without a password", "400", ["LEG-30"]),
  choice("an empty scan", "400", ["LEG-14", "LEG-22", "SIL-24"], { profile: withoutScan }),
  choice("constituents", "for nobody", ["SIL-19"], { profile: scanIsForbidden }),
  choice("response to a scan", "202 without a body", ["SIL-19"]),
  // the server's own: a host of its own
  choice("host of the legacy surface", "that of the tenant", ["TRN-03"], { profile: atTenant })
]
