import { type DynamicModule, Module } from "@nestjs/common"
import type { Limits } from "../../Side.ts"
import { AccessModule } from "./AccessModule.ts"
import { CredentialsController } from "./CredentialsController.ts"
import { CredentialsRepository } from "./CredentialsRepository.ts"
import { CredentialsService } from "./CredentialsService.ts"
import { DatabaseModule } from "./DatabaseModule.ts"
import { UnknownPathController } from "./UnknownPathController.ts"

// Routes match in this order.
@Module({
  controllers: [CredentialsController, UnknownPathController],
  providers: [CredentialsRepository, CredentialsService]
})
class CredentialsModule {}

@Module({})
export class AppModule {
  static forRoot(url: string, limits: Limits): DynamicModule {
    return {
      module: AppModule,
      imports: [DatabaseModule.forRoot(url), AccessModule.forRoot(limits), CredentialsModule]
    }
  }
}
