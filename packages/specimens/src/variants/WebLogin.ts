import { type Variant, variant } from "../Variant.ts"
import { served, told } from "../WebLogin.ts"

/** Web login by pages, and by SAML's other binding. */
export const webLoginVariants: ReadonlyArray<Variant> = [
  variant("web-login-with-pages-of-its-own", ["AUT-16", "AUT-17"]).by({ ...told, rewrite: served() })
]
