export { countDeletedRows, deleteOldRows, ruleForRows, type RetentionRule, noteDue } from './retention-rule.ts';
