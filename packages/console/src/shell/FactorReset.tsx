import type { Me } from "../calls/Me.ts"
import { Time } from "../widgets/Time.tsx"

/** Tells a person that an administrator has reset the authenticator app, until a new one is set up. */
export const FactorReset = ({ me: { secondFactorResetAt: at } }: { readonly me: Me }) =>
  at === undefined ? null : (
    <p class="notice" role="status">
      Your authenticator app was reset <Time at={at} isExact />.{" "}
      <a href="/account" rel="external" target="_self">
        Set up a new one
      </a>
      . If you did not ask for this, tell another administrator.
    </p>
  )
