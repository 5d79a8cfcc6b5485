export { installationFinder, syncInstallations } from './installations.ts';
export { addApp, beginSetup, completeSetup, createSetupLink, type SetupRequest } from './setup.ts';
export { createWebhookIntake, forgetOldHostDeliveries } from './webhooks.ts';
