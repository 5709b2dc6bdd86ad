import { type DynamicModule, Module } from "@nestjs/common"
import { APP_GUARD } from "@nestjs/core"
import type { Limits } from "../../Side.ts"
import { AccessGuard } from "./AccessGuard.ts"
import { AccessRepository } from "./AccessRepository.ts"
import { AccessService, LIMITS } from "./AccessService.ts"

/** Guards all routes. */
@Module({})
export class AccessModule {
  static forRoot(limits: Limits): DynamicModule {
    return {
      module: AccessModule,
      providers: [
        AccessRepository,
        AccessService,
        { provide: LIMITS, useValue: limits },
        { provide: APP_GUARD, useClass: AccessGuard }
      ]
    }
  }
}
