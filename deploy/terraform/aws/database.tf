resource "random_password" "database" {
  length  = 32
  special = false
}

resource "aws_db_subnet_group" "vault" {
  name       = var.name
  subnet_ids = var.private_subnet_ids
}

resource "aws_security_group" "database" {
  name   = "${var.name}-database"
  vpc_id = var.vpc_id
}

resource "aws_vpc_security_group_ingress_rule" "database" {
  security_group_id            = aws_security_group.database.id
  referenced_security_group_id = aws_security_group.vault.id
  ip_protocol                  = "tcp"
  from_port                    = 5432
  to_port                      = 5432
}

resource "aws_db_instance" "vault" {
  identifier                = var.name
  engine                    = "postgres"
  engine_version            = "17"
  instance_class            = var.instance_class
  allocated_storage         = 100
  max_allocated_storage     = 1000
  storage_type              = "gp3"
  storage_encrypted         = true
  multi_az                  = true
  db_name                   = "strongroom"
  username                  = "strongroom_owner"
  password                  = random_password.database.result
  db_subnet_group_name      = aws_db_subnet_group.vault.name
  vpc_security_group_ids    = [aws_security_group.database.id]
  backup_retention_period   = 14
  copy_tags_to_snapshot     = true
  deletion_protection       = true
  final_snapshot_identifier = "${var.name}-final"
}

# One login for everything. docs/operate/install.md, "Database roles", describes a second one for servers.
resource "aws_secretsmanager_secret" "database_url" {
  name = "${var.name}/database-url"
}

resource "aws_secretsmanager_secret_version" "database_url" {
  secret_id = aws_secretsmanager_secret.database_url.id
  secret_string = format(
    "postgresql://%s:%s@%s/strongroom?sslmode=verify-full&sslrootcert=%s",
    aws_db_instance.vault.username,
    random_password.database.result,
    aws_db_instance.vault.endpoint,
    var.database_ca_file,
  )
}
