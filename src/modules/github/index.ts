export { installationFinder, installationsAreDue, markInstallations, syncInstallations } from './installations.ts';
export { beginGitHubSignIn, completeGitHubSignIn, listSignInApps } from './sign-in.ts';
export { personAdmission, personRoles, type RoleOfPerson } from './people.ts';
export { isLoopback, serverAt } from './servers.ts';
export { addApp, beginSetup, completeSetup, createSetupLink, type SetupRequest } from './setup.ts';
export { redeliverMissing } from './redelivery.service.ts';
export { createWebhookIntake, hostDeliveryForgetting, type WebhookAnswer } from './webhooks.ts';
